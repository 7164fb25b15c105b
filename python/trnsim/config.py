"""Configurations."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from ._trnsim import Config

ConfigLike: TypeAlias = Config | str | os.PathLike[str] | Mapping[str, Any]


def load_config(config: ConfigLike) -> Config:
    """Returns a configuration, given by its name, as a .yaml file, or as a dictionary of keys.

    The key "extends" of a dictionary names the configuration that it changes. Raises ConfigError.
    """
    if isinstance(config, Config):
        return config
    if not isinstance(config, Mapping):
        return Config.load(os.fspath(config))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{config.get('name', 'configuration')}.yaml")
        with path.open("w", encoding="utf-8") as file:
            json.dump(config, file, indent=1)  # YAML reads JSON
        return Config.load(str(path))


def setting_texts(settings: Mapping[str, Any] | None) -> list[str]:
    """Returns "KEY=VALUE" for each setting of a server; lists and dictionaries become YAML."""
    return [
        f"{key}={json.dumps(value) if isinstance(value, (list, tuple, dict)) else value}"
        for key, value in (settings or {}).items()
    ]
