"""The full method names of the contract, as they stand in the HTTP/2 path."""

from __future__ import annotations

PUBLISH = "/xmtp.backend.v1.PublishService/Publish"
QUERY = "/xmtp.backend.v1.QueryService/Query"
QUERY_NEWEST = "/xmtp.backend.v1.QueryService/QueryNewest"
SUBSCRIBE = "/xmtp.backend.v1.SubscriptionService/Subscribe"
SUBSCRIBE_STATIC = "/xmtp.backend.v1.SubscriptionService/SubscribeStatic"
GET_INBOX_IDS = "/xmtp.backend.v1.IdentityService/GetInboxIds"
VERIFY_SMART_CONTRACT_WALLET_SIGNATURES = "/xmtp.backend.v1.IdentityService/VerifySmartContractWalletSignatures"
GET_CONFIGURATION = "/xmtp.backend.v1.ConfigurationService/GetConfiguration"
HEALTH_CHECK = "/grpc.health.v1.Health/Check"
