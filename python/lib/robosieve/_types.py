"""Types of arguments that several modules have."""

import os
from collections.abc import Iterator
from typing import Protocol, TypeVar

StrPath = str | os.PathLike[str]

_Item = TypeVar("_Item")
_Item_co = TypeVar("_Item_co", covariant=True)


class Items(Protocol[_Item_co]):
    """Items of a list, a tuple or a column; a str or bytes has none, because it has only others like itself."""

    def __iter__(self) -> Iterator[_Item_co]: ...
    def __contains__(self, item: object, /) -> bool: ...


# Several items, where a single string would be taken for its characters.
Several = Items[_Item] | Iterator[_Item]
