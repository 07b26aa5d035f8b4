"""What is under test: endpoints and their limits, deployments started through an adapter, and the verbs of a node."""
