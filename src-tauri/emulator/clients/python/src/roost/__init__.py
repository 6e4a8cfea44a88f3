"""Test against the Roost emulator, with a separate world for every test: `with Server.obtain() as server, server.world() as world`."""

from .admin import Admin
from .errors import AdminError, NotSettled, NotThere, NotVerified, RoostError, RoostWarning, StartError
from .faults import Faults
from .hooks import Receiver
from .journal import Journal
from .line import Answer, trust, trusting
from .server import Server
from .snapshots import Snapshots
from .world import World

__all__ = [
    "Admin",
    "AdminError",
    "Answer",
    "Faults",
    "Journal",
    "NotSettled",
    "NotThere",
    "NotVerified",
    "Receiver",
    "RoostError",
    "RoostWarning",
    "Server",
    "Snapshots",
    "StartError",
    "World",
    "trust",
    "trusting",
]
__version__ = "0.1.0"
