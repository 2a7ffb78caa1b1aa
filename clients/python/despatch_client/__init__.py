"""Submit print jobs to Despatch, follow them, and verify its callbacks.

For Python 3.9 or later, with the standard library only. A client may be shared by threads. Answers are plain
dictionaries: a later release may add members and values, so read only those that you need.
"""

from .callback import verify_callback
from .client import ConsumerClient
from .errors import DespatchError

__all__ = ["ConsumerClient", "DespatchError", "verify_callback"]
