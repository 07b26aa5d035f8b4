"""Section 6 of the API contract: GetInboxIds and VerifySmartContractWalletSignatures."""
