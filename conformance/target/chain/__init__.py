"""A chain that does as it is told: a JSON-RPC node for the contract wallets of a deployment under test."""
