"""All chapters are executed again when the package changed, and none when it did not."""

from manyheads.sphinxext.execution_cache import package_digest


def test_code_data_and_pinned_packages_count(tmp_path, copied):
    digests = [package_digest(tmp_path)]
    for path in ("attention.py", "models/focus/data/nouns.txt", "shared/names.json", tmp_path / "constraints.txt"):
        with (copied / path).open("a") as file:
            file.write("\n# Another line.")
        digests.append(package_digest(tmp_path))
    assert len(set(digests)) == len(digests)


def test_a_books_own_code_and_results_count(tmp_path):
    own = tmp_path / "experiments.json"
    digests = [package_digest(tmp_path, [own, tmp_path])]
    for path in (own, tmp_path / "charts.py"):
        path.write_text("{}")
        digests.append(package_digest(tmp_path, [own, tmp_path]))
    assert len(set(digests)) == len(digests)
