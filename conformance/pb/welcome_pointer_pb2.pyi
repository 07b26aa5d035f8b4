from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WelcomePointeeEncryptionAeadType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WELCOME_POINTEE_ENCRYPTION_AEAD_TYPE_UNSPECIFIED: _ClassVar[WelcomePointeeEncryptionAeadType]
    WELCOME_POINTEE_ENCRYPTION_AEAD_TYPE_CHACHA20_POLY1305: _ClassVar[WelcomePointeeEncryptionAeadType]
WELCOME_POINTEE_ENCRYPTION_AEAD_TYPE_UNSPECIFIED: WelcomePointeeEncryptionAeadType
WELCOME_POINTEE_ENCRYPTION_AEAD_TYPE_CHACHA20_POLY1305: WelcomePointeeEncryptionAeadType

class WelcomePointeeEncryptionAeadTypesExtension(_message.Message):
    __slots__ = ("supported_aead_types",)
    SUPPORTED_AEAD_TYPES_FIELD_NUMBER: _ClassVar[int]
    supported_aead_types: _containers.RepeatedScalarFieldContainer[WelcomePointeeEncryptionAeadType]
    def __init__(self, supported_aead_types: _Optional[_Iterable[_Union[WelcomePointeeEncryptionAeadType, str]]] = ...) -> None: ...

class WelcomePointer(_message.Message):
    __slots__ = ("welcome_v1_pointer",)
    class WelcomeV1Pointer(_message.Message):
        __slots__ = ("destination", "aead_type", "encryption_key", "data_nonce", "welcome_metadata_nonce")
        DESTINATION_FIELD_NUMBER: _ClassVar[int]
        AEAD_TYPE_FIELD_NUMBER: _ClassVar[int]
        ENCRYPTION_KEY_FIELD_NUMBER: _ClassVar[int]
        DATA_NONCE_FIELD_NUMBER: _ClassVar[int]
        WELCOME_METADATA_NONCE_FIELD_NUMBER: _ClassVar[int]
        destination: bytes
        aead_type: WelcomePointeeEncryptionAeadType
        encryption_key: bytes
        data_nonce: bytes
        welcome_metadata_nonce: bytes
        def __init__(self, destination: _Optional[bytes] = ..., aead_type: _Optional[_Union[WelcomePointeeEncryptionAeadType, str]] = ..., encryption_key: _Optional[bytes] = ..., data_nonce: _Optional[bytes] = ..., welcome_metadata_nonce: _Optional[bytes] = ...) -> None: ...
    WELCOME_V1_POINTER_FIELD_NUMBER: _ClassVar[int]
    welcome_v1_pointer: WelcomePointer.WelcomeV1Pointer
    def __init__(self, welcome_v1_pointer: _Optional[_Union[WelcomePointer.WelcomeV1Pointer, _Mapping[str, object]]] = ...) -> None: ...
