"""Properties here are judged by their outcome alone: a machine under load must not fail one by being slow."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("without-deadline", deadline=None)
settings.load_profile("without-deadline")
