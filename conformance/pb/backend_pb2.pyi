from conformance.pb import association_pb2 as _association_pb2
from conformance.pb import signature_pb2 as _signature_pb2
from conformance.pb import wrapper_encryption_pb2 as _wrapper_encryption_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Cursor(_message.Message):
    __slots__ = ("sequence_id",)
    SEQUENCE_ID_FIELD_NUMBER: _ClassVar[int]
    sequence_id: int
    def __init__(self, sequence_id: _Optional[int] = ...) -> None: ...

class Topic(_message.Message):
    __slots__ = ("topic",)
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    topic: bytes
    def __init__(self, topic: _Optional[bytes] = ...) -> None: ...

class MessageHash(_message.Message):
    __slots__ = ("sha256",)
    SHA256_FIELD_NUMBER: _ClassVar[int]
    sha256: bytes
    def __init__(self, sha256: _Optional[bytes] = ...) -> None: ...

class EnvelopeMeta(_message.Message):
    __slots__ = ("cursor", "server_ns", "message_hash", "topic", "expiry_ns", "is_commit_or_proposal")
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    SERVER_NS_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_HASH_FIELD_NUMBER: _ClassVar[int]
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    EXPIRY_NS_FIELD_NUMBER: _ClassVar[int]
    IS_COMMIT_OR_PROPOSAL_FIELD_NUMBER: _ClassVar[int]
    cursor: Cursor
    server_ns: int
    message_hash: MessageHash
    topic: Topic
    expiry_ns: int
    is_commit_or_proposal: bool
    def __init__(self, cursor: _Optional[_Union[Cursor, _Mapping[str, object]]] = ..., server_ns: _Optional[int] = ..., message_hash: _Optional[_Union[MessageHash, _Mapping[str, object]]] = ..., topic: _Optional[_Union[Topic, _Mapping[str, object]]] = ..., expiry_ns: _Optional[int] = ..., is_commit_or_proposal: _Optional[bool] = ...) -> None: ...

class GroupMessage(_message.Message):
    __slots__ = ("data", "sender_hmac", "should_push")
    DATA_FIELD_NUMBER: _ClassVar[int]
    SENDER_HMAC_FIELD_NUMBER: _ClassVar[int]
    SHOULD_PUSH_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    sender_hmac: bytes
    should_push: bool
    def __init__(self, data: _Optional[bytes] = ..., sender_hmac: _Optional[bytes] = ..., should_push: _Optional[bool] = ...) -> None: ...

class WelcomeMessage(_message.Message):
    __slots__ = ("v1", "welcome_pointer")
    class V1(_message.Message):
        __slots__ = ("installation_key", "data", "hpke_public_key", "wrapper_algorithm", "welcome_metadata")
        INSTALLATION_KEY_FIELD_NUMBER: _ClassVar[int]
        DATA_FIELD_NUMBER: _ClassVar[int]
        HPKE_PUBLIC_KEY_FIELD_NUMBER: _ClassVar[int]
        WRAPPER_ALGORITHM_FIELD_NUMBER: _ClassVar[int]
        WELCOME_METADATA_FIELD_NUMBER: _ClassVar[int]
        installation_key: bytes
        data: bytes
        hpke_public_key: bytes
        wrapper_algorithm: _wrapper_encryption_pb2.WelcomeWrapperAlgorithm
        welcome_metadata: bytes
        def __init__(self, installation_key: _Optional[bytes] = ..., data: _Optional[bytes] = ..., hpke_public_key: _Optional[bytes] = ..., wrapper_algorithm: _Optional[_Union[_wrapper_encryption_pb2.WelcomeWrapperAlgorithm, str]] = ..., welcome_metadata: _Optional[bytes] = ...) -> None: ...
    class WelcomePointer(_message.Message):
        __slots__ = ("installation_key", "welcome_pointer", "hpke_public_key", "wrapper_algorithm")
        INSTALLATION_KEY_FIELD_NUMBER: _ClassVar[int]
        WELCOME_POINTER_FIELD_NUMBER: _ClassVar[int]
        HPKE_PUBLIC_KEY_FIELD_NUMBER: _ClassVar[int]
        WRAPPER_ALGORITHM_FIELD_NUMBER: _ClassVar[int]
        installation_key: bytes
        welcome_pointer: bytes
        hpke_public_key: bytes
        wrapper_algorithm: _wrapper_encryption_pb2.WelcomePointerWrapperAlgorithm
        def __init__(self, installation_key: _Optional[bytes] = ..., welcome_pointer: _Optional[bytes] = ..., hpke_public_key: _Optional[bytes] = ..., wrapper_algorithm: _Optional[_Union[_wrapper_encryption_pb2.WelcomePointerWrapperAlgorithm, str]] = ...) -> None: ...
    V1_FIELD_NUMBER: _ClassVar[int]
    WELCOME_POINTER_FIELD_NUMBER: _ClassVar[int]
    v1: WelcomeMessage.V1
    welcome_pointer: WelcomeMessage.WelcomePointer
    def __init__(self, v1: _Optional[_Union[WelcomeMessage.V1, _Mapping[str, object]]] = ..., welcome_pointer: _Optional[_Union[WelcomeMessage.WelcomePointer, _Mapping[str, object]]] = ...) -> None: ...

class KeyPackage(_message.Message):
    __slots__ = ("key_package_tls_serialized",)
    KEY_PACKAGE_TLS_SERIALIZED_FIELD_NUMBER: _ClassVar[int]
    key_package_tls_serialized: bytes
    def __init__(self, key_package_tls_serialized: _Optional[bytes] = ...) -> None: ...

class CommitLogEntry(_message.Message):
    __slots__ = ("serialized_commit_log_entry", "signature")
    SERIALIZED_COMMIT_LOG_ENTRY_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    serialized_commit_log_entry: bytes
    signature: _signature_pb2.RecoverableEd25519Signature
    def __init__(self, serialized_commit_log_entry: _Optional[bytes] = ..., signature: _Optional[_Union[_signature_pb2.RecoverableEd25519Signature, _Mapping[str, object]]] = ...) -> None: ...

class ClientEnvelope(_message.Message):
    __slots__ = ("group_message", "welcome_message", "key_package", "identity_update", "commit_log_entry")
    GROUP_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    WELCOME_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    KEY_PACKAGE_FIELD_NUMBER: _ClassVar[int]
    IDENTITY_UPDATE_FIELD_NUMBER: _ClassVar[int]
    COMMIT_LOG_ENTRY_FIELD_NUMBER: _ClassVar[int]
    group_message: GroupMessage
    welcome_message: WelcomeMessage
    key_package: KeyPackage
    identity_update: _association_pb2.IdentityUpdate
    commit_log_entry: CommitLogEntry
    def __init__(self, group_message: _Optional[_Union[GroupMessage, _Mapping[str, object]]] = ..., welcome_message: _Optional[_Union[WelcomeMessage, _Mapping[str, object]]] = ..., key_package: _Optional[_Union[KeyPackage, _Mapping[str, object]]] = ..., identity_update: _Optional[_Union[_association_pb2.IdentityUpdate, _Mapping[str, object]]] = ..., commit_log_entry: _Optional[_Union[CommitLogEntry, _Mapping[str, object]]] = ...) -> None: ...

class ServerEnvelope(_message.Message):
    __slots__ = ("meta", "envelope")
    META_FIELD_NUMBER: _ClassVar[int]
    ENVELOPE_FIELD_NUMBER: _ClassVar[int]
    meta: EnvelopeMeta
    envelope: ClientEnvelope
    def __init__(self, meta: _Optional[_Union[EnvelopeMeta, _Mapping[str, object]]] = ..., envelope: _Optional[_Union[ClientEnvelope, _Mapping[str, object]]] = ...) -> None: ...

class PublishRequest(_message.Message):
    __slots__ = ("envelopes",)
    ENVELOPES_FIELD_NUMBER: _ClassVar[int]
    envelopes: _containers.RepeatedCompositeFieldContainer[ClientEnvelope]
    def __init__(self, envelopes: _Optional[_Iterable[_Union[ClientEnvelope, _Mapping[str, object]]]] = ...) -> None: ...

class PublishResponse(_message.Message):
    __slots__ = ("envelope_metas",)
    ENVELOPE_METAS_FIELD_NUMBER: _ClassVar[int]
    envelope_metas: _containers.RepeatedCompositeFieldContainer[EnvelopeMeta]
    def __init__(self, envelope_metas: _Optional[_Iterable[_Union[EnvelopeMeta, _Mapping[str, object]]]] = ...) -> None: ...

class PublishError(_message.Message):
    __slots__ = ("index", "reason", "message")
    class Reason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        REASON_UNSPECIFIED: _ClassVar[PublishError.Reason]
        REASON_MALFORMED_PAYLOAD: _ClassVar[PublishError.Reason]
        REASON_INVALID_KEY_PACKAGE: _ClassVar[PublishError.Reason]
        REASON_INVALID_IDENTITY_UPDATE: _ClassVar[PublishError.Reason]
        REASON_INVALID_SIGNATURE: _ClassVar[PublishError.Reason]
        REASON_TOO_LARGE: _ClassVar[PublishError.Reason]
        REASON_HANDLE_TAKEN: _ClassVar[PublishError.Reason]
        REASON_HANDLE_NOT_ALLOWED: _ClassVar[PublishError.Reason]
        REASON_HANDLE_TOO_SOON: _ClassVar[PublishError.Reason]
    REASON_UNSPECIFIED: PublishError.Reason
    REASON_MALFORMED_PAYLOAD: PublishError.Reason
    REASON_INVALID_KEY_PACKAGE: PublishError.Reason
    REASON_INVALID_IDENTITY_UPDATE: PublishError.Reason
    REASON_INVALID_SIGNATURE: PublishError.Reason
    REASON_TOO_LARGE: PublishError.Reason
    REASON_HANDLE_TAKEN: PublishError.Reason
    REASON_HANDLE_NOT_ALLOWED: PublishError.Reason
    REASON_HANDLE_TOO_SOON: PublishError.Reason
    INDEX_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    index: int
    reason: PublishError.Reason
    message: str
    def __init__(self, index: _Optional[int] = ..., reason: _Optional[_Union[PublishError.Reason, str]] = ..., message: _Optional[str] = ...) -> None: ...

class TopicQuery(_message.Message):
    __slots__ = ("topic", "cursor")
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    topic: Topic
    cursor: Cursor
    def __init__(self, topic: _Optional[_Union[Topic, _Mapping[str, object]]] = ..., cursor: _Optional[_Union[Cursor, _Mapping[str, object]]] = ...) -> None: ...

class QueryRequest(_message.Message):
    __slots__ = ("queries", "limit")
    QUERIES_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    queries: _containers.RepeatedCompositeFieldContainer[TopicQuery]
    limit: int
    def __init__(self, queries: _Optional[_Iterable[_Union[TopicQuery, _Mapping[str, object]]]] = ..., limit: _Optional[int] = ...) -> None: ...

class Continuation(_message.Message):
    __slots__ = ("has_more",)
    HAS_MORE_FIELD_NUMBER: _ClassVar[int]
    has_more: bool
    def __init__(self, has_more: _Optional[bool] = ...) -> None: ...

class QueryResponse(_message.Message):
    __slots__ = ("envelopes", "continuation")
    ENVELOPES_FIELD_NUMBER: _ClassVar[int]
    CONTINUATION_FIELD_NUMBER: _ClassVar[int]
    envelopes: _containers.RepeatedCompositeFieldContainer[ServerEnvelope]
    continuation: Continuation
    def __init__(self, envelopes: _Optional[_Iterable[_Union[ServerEnvelope, _Mapping[str, object]]]] = ..., continuation: _Optional[_Union[Continuation, _Mapping[str, object]]] = ...) -> None: ...

class QueryNewestRequest(_message.Message):
    __slots__ = ("topics", "include_full_envelope")
    TOPICS_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_FULL_ENVELOPE_FIELD_NUMBER: _ClassVar[int]
    topics: _containers.RepeatedCompositeFieldContainer[Topic]
    include_full_envelope: bool
    def __init__(self, topics: _Optional[_Iterable[_Union[Topic, _Mapping[str, object]]]] = ..., include_full_envelope: _Optional[bool] = ...) -> None: ...

class QueryNewestResponse(_message.Message):
    __slots__ = ("results",)
    class Result(_message.Message):
        __slots__ = ("topic", "meta", "envelope")
        TOPIC_FIELD_NUMBER: _ClassVar[int]
        META_FIELD_NUMBER: _ClassVar[int]
        ENVELOPE_FIELD_NUMBER: _ClassVar[int]
        topic: Topic
        meta: EnvelopeMeta
        envelope: ClientEnvelope
        def __init__(self, topic: _Optional[_Union[Topic, _Mapping[str, object]]] = ..., meta: _Optional[_Union[EnvelopeMeta, _Mapping[str, object]]] = ..., envelope: _Optional[_Union[ClientEnvelope, _Mapping[str, object]]] = ...) -> None: ...
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[QueryNewestResponse.Result]
    def __init__(self, results: _Optional[_Iterable[_Union[QueryNewestResponse.Result, _Mapping[str, object]]]] = ...) -> None: ...

class CatchupTarget(_message.Message):
    __slots__ = ("topic", "through_sequence_id")
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    THROUGH_SEQUENCE_ID_FIELD_NUMBER: _ClassVar[int]
    topic: Topic
    through_sequence_id: int
    def __init__(self, topic: _Optional[_Union[Topic, _Mapping[str, object]]] = ..., through_sequence_id: _Optional[int] = ...) -> None: ...

class Ping(_message.Message):
    __slots__ = ("nonce",)
    NONCE_FIELD_NUMBER: _ClassVar[int]
    nonce: int
    def __init__(self, nonce: _Optional[int] = ...) -> None: ...

class Pong(_message.Message):
    __slots__ = ("nonce",)
    NONCE_FIELD_NUMBER: _ClassVar[int]
    nonce: int
    def __init__(self, nonce: _Optional[int] = ...) -> None: ...

class SubscribeRequest(_message.Message):
    __slots__ = ("update", "ping", "pong")
    class Update(_message.Message):
        __slots__ = ("id", "adds", "removes")
        ID_FIELD_NUMBER: _ClassVar[int]
        ADDS_FIELD_NUMBER: _ClassVar[int]
        REMOVES_FIELD_NUMBER: _ClassVar[int]
        id: int
        adds: _containers.RepeatedCompositeFieldContainer[TopicQuery]
        removes: _containers.RepeatedCompositeFieldContainer[Topic]
        def __init__(self, id: _Optional[int] = ..., adds: _Optional[_Iterable[_Union[TopicQuery, _Mapping[str, object]]]] = ..., removes: _Optional[_Iterable[_Union[Topic, _Mapping[str, object]]]] = ...) -> None: ...
    UPDATE_FIELD_NUMBER: _ClassVar[int]
    PING_FIELD_NUMBER: _ClassVar[int]
    PONG_FIELD_NUMBER: _ClassVar[int]
    update: SubscribeRequest.Update
    ping: Ping
    pong: Pong
    def __init__(self, update: _Optional[_Union[SubscribeRequest.Update, _Mapping[str, object]]] = ..., ping: _Optional[_Union[Ping, _Mapping[str, object]]] = ..., pong: _Optional[_Union[Pong, _Mapping[str, object]]] = ...) -> None: ...

class SubscribeResponse(_message.Message):
    __slots__ = ("started", "applied", "messages", "ping", "pong")
    class Started(_message.Message):
        __slots__ = ("keepalive_interval_ms",)
        KEEPALIVE_INTERVAL_MS_FIELD_NUMBER: _ClassVar[int]
        keepalive_interval_ms: int
        def __init__(self, keepalive_interval_ms: _Optional[int] = ...) -> None: ...
    class Applied(_message.Message):
        __slots__ = ("id", "added_targets")
        ID_FIELD_NUMBER: _ClassVar[int]
        ADDED_TARGETS_FIELD_NUMBER: _ClassVar[int]
        id: int
        added_targets: _containers.RepeatedCompositeFieldContainer[CatchupTarget]
        def __init__(self, id: _Optional[int] = ..., added_targets: _Optional[_Iterable[_Union[CatchupTarget, _Mapping[str, object]]]] = ...) -> None: ...
    class Messages(_message.Message):
        __slots__ = ("envelopes",)
        ENVELOPES_FIELD_NUMBER: _ClassVar[int]
        envelopes: _containers.RepeatedCompositeFieldContainer[ServerEnvelope]
        def __init__(self, envelopes: _Optional[_Iterable[_Union[ServerEnvelope, _Mapping[str, object]]]] = ...) -> None: ...
    STARTED_FIELD_NUMBER: _ClassVar[int]
    APPLIED_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    PING_FIELD_NUMBER: _ClassVar[int]
    PONG_FIELD_NUMBER: _ClassVar[int]
    started: SubscribeResponse.Started
    applied: SubscribeResponse.Applied
    messages: SubscribeResponse.Messages
    ping: Ping
    pong: Pong
    def __init__(self, started: _Optional[_Union[SubscribeResponse.Started, _Mapping[str, object]]] = ..., applied: _Optional[_Union[SubscribeResponse.Applied, _Mapping[str, object]]] = ..., messages: _Optional[_Union[SubscribeResponse.Messages, _Mapping[str, object]]] = ..., ping: _Optional[_Union[Ping, _Mapping[str, object]]] = ..., pong: _Optional[_Union[Pong, _Mapping[str, object]]] = ...) -> None: ...

class SubscribeStaticRequest(_message.Message):
    __slots__ = ("topics",)
    TOPICS_FIELD_NUMBER: _ClassVar[int]
    topics: _containers.RepeatedCompositeFieldContainer[TopicQuery]
    def __init__(self, topics: _Optional[_Iterable[_Union[TopicQuery, _Mapping[str, object]]]] = ...) -> None: ...

class SubscribeStaticResponse(_message.Message):
    __slots__ = ("started", "messages", "keepalive")
    class Started(_message.Message):
        __slots__ = ("keepalive_interval_ms", "targets")
        KEEPALIVE_INTERVAL_MS_FIELD_NUMBER: _ClassVar[int]
        TARGETS_FIELD_NUMBER: _ClassVar[int]
        keepalive_interval_ms: int
        targets: _containers.RepeatedCompositeFieldContainer[CatchupTarget]
        def __init__(self, keepalive_interval_ms: _Optional[int] = ..., targets: _Optional[_Iterable[_Union[CatchupTarget, _Mapping[str, object]]]] = ...) -> None: ...
    class Messages(_message.Message):
        __slots__ = ("envelopes",)
        ENVELOPES_FIELD_NUMBER: _ClassVar[int]
        envelopes: _containers.RepeatedCompositeFieldContainer[ServerEnvelope]
        def __init__(self, envelopes: _Optional[_Iterable[_Union[ServerEnvelope, _Mapping[str, object]]]] = ...) -> None: ...
    class Keepalive(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    STARTED_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    KEEPALIVE_FIELD_NUMBER: _ClassVar[int]
    started: SubscribeStaticResponse.Started
    messages: SubscribeStaticResponse.Messages
    keepalive: SubscribeStaticResponse.Keepalive
    def __init__(self, started: _Optional[_Union[SubscribeStaticResponse.Started, _Mapping[str, object]]] = ..., messages: _Optional[_Union[SubscribeStaticResponse.Messages, _Mapping[str, object]]] = ..., keepalive: _Optional[_Union[SubscribeStaticResponse.Keepalive, _Mapping[str, object]]] = ...) -> None: ...

class GetInboxIdsRequest(_message.Message):
    __slots__ = ("requests",)
    class Request(_message.Message):
        __slots__ = ("identifier", "identifier_kind")
        IDENTIFIER_FIELD_NUMBER: _ClassVar[int]
        IDENTIFIER_KIND_FIELD_NUMBER: _ClassVar[int]
        identifier: str
        identifier_kind: _association_pb2.IdentifierKind
        def __init__(self, identifier: _Optional[str] = ..., identifier_kind: _Optional[_Union[_association_pb2.IdentifierKind, str]] = ...) -> None: ...
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[GetInboxIdsRequest.Request]
    def __init__(self, requests: _Optional[_Iterable[_Union[GetInboxIdsRequest.Request, _Mapping[str, object]]]] = ...) -> None: ...

class GetInboxIdsResponse(_message.Message):
    __slots__ = ("responses",)
    class Response(_message.Message):
        __slots__ = ("identifier", "identifier_kind", "inbox_id")
        IDENTIFIER_FIELD_NUMBER: _ClassVar[int]
        IDENTIFIER_KIND_FIELD_NUMBER: _ClassVar[int]
        INBOX_ID_FIELD_NUMBER: _ClassVar[int]
        identifier: str
        identifier_kind: _association_pb2.IdentifierKind
        inbox_id: str
        def __init__(self, identifier: _Optional[str] = ..., identifier_kind: _Optional[_Union[_association_pb2.IdentifierKind, str]] = ..., inbox_id: _Optional[str] = ...) -> None: ...
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[GetInboxIdsResponse.Response]
    def __init__(self, responses: _Optional[_Iterable[_Union[GetInboxIdsResponse.Response, _Mapping[str, object]]]] = ...) -> None: ...

class VerifySmartContractWalletSignaturesRequest(_message.Message):
    __slots__ = ("signatures",)
    class Signature(_message.Message):
        __slots__ = ("account_id", "block_number", "hash", "signature")
        ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
        BLOCK_NUMBER_FIELD_NUMBER: _ClassVar[int]
        HASH_FIELD_NUMBER: _ClassVar[int]
        SIGNATURE_FIELD_NUMBER: _ClassVar[int]
        account_id: str
        block_number: int
        hash: bytes
        signature: bytes
        def __init__(self, account_id: _Optional[str] = ..., block_number: _Optional[int] = ..., hash: _Optional[bytes] = ..., signature: _Optional[bytes] = ...) -> None: ...
    SIGNATURES_FIELD_NUMBER: _ClassVar[int]
    signatures: _containers.RepeatedCompositeFieldContainer[VerifySmartContractWalletSignaturesRequest.Signature]
    def __init__(self, signatures: _Optional[_Iterable[_Union[VerifySmartContractWalletSignaturesRequest.Signature, _Mapping[str, object]]]] = ...) -> None: ...

class VerifySmartContractWalletSignaturesResponse(_message.Message):
    __slots__ = ("responses",)
    class Response(_message.Message):
        __slots__ = ("is_valid", "block_number", "error")
        IS_VALID_FIELD_NUMBER: _ClassVar[int]
        BLOCK_NUMBER_FIELD_NUMBER: _ClassVar[int]
        ERROR_FIELD_NUMBER: _ClassVar[int]
        is_valid: bool
        block_number: int
        error: str
        def __init__(self, is_valid: _Optional[bool] = ..., block_number: _Optional[int] = ..., error: _Optional[str] = ...) -> None: ...
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[VerifySmartContractWalletSignaturesResponse.Response]
    def __init__(self, responses: _Optional[_Iterable[_Union[VerifySmartContractWalletSignaturesResponse.Response, _Mapping[str, object]]]] = ...) -> None: ...

class GetConfigurationRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetConfigurationResponse(_message.Message):
    __slots__ = ("identifier", "server_version", "min_libxmtp_version", "auth", "retention", "limits", "mls", "smart_contract_wallet_chains", "attachments")
    IDENTIFIER_FIELD_NUMBER: _ClassVar[int]
    SERVER_VERSION_FIELD_NUMBER: _ClassVar[int]
    MIN_LIBXMTP_VERSION_FIELD_NUMBER: _ClassVar[int]
    AUTH_FIELD_NUMBER: _ClassVar[int]
    RETENTION_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    MLS_FIELD_NUMBER: _ClassVar[int]
    SMART_CONTRACT_WALLET_CHAINS_FIELD_NUMBER: _ClassVar[int]
    ATTACHMENTS_FIELD_NUMBER: _ClassVar[int]
    identifier: str
    server_version: str
    min_libxmtp_version: str
    auth: AuthConfiguration
    retention: RetentionConfiguration
    limits: LimitsConfiguration
    mls: MlsConfiguration
    smart_contract_wallet_chains: _containers.RepeatedScalarFieldContainer[str]
    attachments: AttachmentsConfiguration
    def __init__(self, identifier: _Optional[str] = ..., server_version: _Optional[str] = ..., min_libxmtp_version: _Optional[str] = ..., auth: _Optional[_Union[AuthConfiguration, _Mapping[str, object]]] = ..., retention: _Optional[_Union[RetentionConfiguration, _Mapping[str, object]]] = ..., limits: _Optional[_Union[LimitsConfiguration, _Mapping[str, object]]] = ..., mls: _Optional[_Union[MlsConfiguration, _Mapping[str, object]]] = ..., smart_contract_wallet_chains: _Optional[_Iterable[str]] = ..., attachments: _Optional[_Union[AttachmentsConfiguration, _Mapping[str, object]]] = ...) -> None: ...

class AuthConfiguration(_message.Message):
    __slots__ = ("enabled", "keys", "audiences", "issuers", "required_scopes")
    class SigningKey(_message.Message):
        __slots__ = ("kid", "alg")
        KID_FIELD_NUMBER: _ClassVar[int]
        ALG_FIELD_NUMBER: _ClassVar[int]
        kid: str
        alg: str
        def __init__(self, kid: _Optional[str] = ..., alg: _Optional[str] = ...) -> None: ...
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    AUDIENCES_FIELD_NUMBER: _ClassVar[int]
    ISSUERS_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_SCOPES_FIELD_NUMBER: _ClassVar[int]
    enabled: bool
    keys: _containers.RepeatedCompositeFieldContainer[AuthConfiguration.SigningKey]
    audiences: _containers.RepeatedScalarFieldContainer[str]
    issuers: _containers.RepeatedScalarFieldContainer[str]
    required_scopes: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, enabled: _Optional[bool] = ..., keys: _Optional[_Iterable[_Union[AuthConfiguration.SigningKey, _Mapping[str, object]]]] = ..., audiences: _Optional[_Iterable[str]] = ..., issuers: _Optional[_Iterable[str]] = ..., required_scopes: _Optional[_Iterable[str]] = ...) -> None: ...

class RetentionConfiguration(_message.Message):
    __slots__ = ("group_message_seconds", "welcome_seconds", "key_package_seconds")
    GROUP_MESSAGE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    WELCOME_SECONDS_FIELD_NUMBER: _ClassVar[int]
    KEY_PACKAGE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    group_message_seconds: int
    welcome_seconds: int
    key_package_seconds: int
    def __init__(self, group_message_seconds: _Optional[int] = ..., welcome_seconds: _Optional[int] = ..., key_package_seconds: _Optional[int] = ...) -> None: ...

class LimitsConfiguration(_message.Message):
    __slots__ = ("max_envelope_bytes", "max_request_bytes", "max_response_bytes", "max_publish_topics", "max_query_topics", "max_query_limit", "default_query_limit", "max_newest_metadata_topics", "max_newest_full_topics", "max_update_adds", "max_update_removes", "max_stream_topics", "max_static_topics", "max_lookup_identifiers", "max_scw_signatures", "max_identity_entries", "max_update_frames_per_second", "max_update_burst", "max_ping_frames_per_second", "max_ping_burst")
    MAX_ENVELOPE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_REQUEST_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_RESPONSE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_PUBLISH_TOPICS_FIELD_NUMBER: _ClassVar[int]
    MAX_QUERY_TOPICS_FIELD_NUMBER: _ClassVar[int]
    MAX_QUERY_LIMIT_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_QUERY_LIMIT_FIELD_NUMBER: _ClassVar[int]
    MAX_NEWEST_METADATA_TOPICS_FIELD_NUMBER: _ClassVar[int]
    MAX_NEWEST_FULL_TOPICS_FIELD_NUMBER: _ClassVar[int]
    MAX_UPDATE_ADDS_FIELD_NUMBER: _ClassVar[int]
    MAX_UPDATE_REMOVES_FIELD_NUMBER: _ClassVar[int]
    MAX_STREAM_TOPICS_FIELD_NUMBER: _ClassVar[int]
    MAX_STATIC_TOPICS_FIELD_NUMBER: _ClassVar[int]
    MAX_LOOKUP_IDENTIFIERS_FIELD_NUMBER: _ClassVar[int]
    MAX_SCW_SIGNATURES_FIELD_NUMBER: _ClassVar[int]
    MAX_IDENTITY_ENTRIES_FIELD_NUMBER: _ClassVar[int]
    MAX_UPDATE_FRAMES_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    MAX_UPDATE_BURST_FIELD_NUMBER: _ClassVar[int]
    MAX_PING_FRAMES_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    MAX_PING_BURST_FIELD_NUMBER: _ClassVar[int]
    max_envelope_bytes: int
    max_request_bytes: int
    max_response_bytes: int
    max_publish_topics: int
    max_query_topics: int
    max_query_limit: int
    default_query_limit: int
    max_newest_metadata_topics: int
    max_newest_full_topics: int
    max_update_adds: int
    max_update_removes: int
    max_stream_topics: int
    max_static_topics: int
    max_lookup_identifiers: int
    max_scw_signatures: int
    max_identity_entries: int
    max_update_frames_per_second: int
    max_update_burst: int
    max_ping_frames_per_second: int
    max_ping_burst: int
    def __init__(self, max_envelope_bytes: _Optional[int] = ..., max_request_bytes: _Optional[int] = ..., max_response_bytes: _Optional[int] = ..., max_publish_topics: _Optional[int] = ..., max_query_topics: _Optional[int] = ..., max_query_limit: _Optional[int] = ..., default_query_limit: _Optional[int] = ..., max_newest_metadata_topics: _Optional[int] = ..., max_newest_full_topics: _Optional[int] = ..., max_update_adds: _Optional[int] = ..., max_update_removes: _Optional[int] = ..., max_stream_topics: _Optional[int] = ..., max_static_topics: _Optional[int] = ..., max_lookup_identifiers: _Optional[int] = ..., max_scw_signatures: _Optional[int] = ..., max_identity_entries: _Optional[int] = ..., max_update_frames_per_second: _Optional[int] = ..., max_update_burst: _Optional[int] = ..., max_ping_frames_per_second: _Optional[int] = ..., max_ping_burst: _Optional[int] = ...) -> None: ...

class MlsConfiguration(_message.Message):
    __slots__ = ("max_group_members", "max_installations_per_inbox", "commit_log_enabled")
    MAX_GROUP_MEMBERS_FIELD_NUMBER: _ClassVar[int]
    MAX_INSTALLATIONS_PER_INBOX_FIELD_NUMBER: _ClassVar[int]
    COMMIT_LOG_ENABLED_FIELD_NUMBER: _ClassVar[int]
    max_group_members: int
    max_installations_per_inbox: int
    commit_log_enabled: bool
    def __init__(self, max_group_members: _Optional[int] = ..., max_installations_per_inbox: _Optional[int] = ..., commit_log_enabled: _Optional[bool] = ...) -> None: ...

class AttachmentsConfiguration(_message.Message):
    __slots__ = ("base_url", "max_upload_bytes", "retention_seconds")
    BASE_URL_FIELD_NUMBER: _ClassVar[int]
    MAX_UPLOAD_BYTES_FIELD_NUMBER: _ClassVar[int]
    RETENTION_SECONDS_FIELD_NUMBER: _ClassVar[int]
    base_url: str
    max_upload_bytes: int
    retention_seconds: int
    def __init__(self, base_url: _Optional[str] = ..., max_upload_bytes: _Optional[int] = ..., retention_seconds: _Optional[int] = ...) -> None: ...
