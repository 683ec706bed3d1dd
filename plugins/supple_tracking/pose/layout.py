"""Columns of the table of gains."""

from __future__ import annotations

from typing import Final

# Table `tracking.gains` [rates, GAIN_COLUMNS].
STIFFNESS: Final = 0  # [N m/rad, N/m]; 0 with DAMPING = 0: the rate is not driven
DAMPING: Final = 1  # [N m s/rad, N s/m]
LIMIT: Final = 2  # greatest force [N m, N]; 0: none
GRAVITY: Final = 3  # part of gravity that is carried beforehand [1]
FOLLOW: Final = 4  # part of the motion's rate that damping refers to [1]
IMPLICITNESS: Final = 5  # where in the step the drive is taken [1]; 0: automatic
GAIN_COLUMNS: Final = 6
