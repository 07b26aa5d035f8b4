"""The private descriptor pool that holds every generated wire type."""

from __future__ import annotations

from google.protobuf.descriptor_pool import DescriptorPool

POOL = DescriptorPool()
