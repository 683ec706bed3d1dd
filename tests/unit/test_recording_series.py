"""How much of a growing recording HDF5 keeps in memory."""

import h5py
import numpy as np

from supple.run.recording_series import open_series


def test_one_chunk_of_a_series_is_kept(tmp_path):
    path = tmp_path / "series.h5"
    rows = np.random.default_rng(3).normal(size=(1000, 2))
    with h5py.File(path, "w", libver="latest") as file:
        file.create_group("arrays").create_dataset(
            "x", (0, 2), np.float64, maxshape=(None, 2), chunks=(16, 2)
        )
    with h5py.File(path, "r+", libver="latest") as file:
        series = open_series(file["arrays"], "x")
        # The array is the same object for whoever opens it as well, so its cache is that of the writer.
        assert file["arrays/x"].id.get_access_plist().get_chunk_cache()[1] == 16 * 2 * 8
        for first in range(0, 1000, 7):
            series.extend(rows[first : first + 7])
    with h5py.File(path, "r") as file:
        np.testing.assert_array_equal(file["arrays/x"][...], rows)
