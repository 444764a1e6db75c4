"""The encoder in a process of its own."""

import subprocess
import sys


def test_transformers_is_imported_only_when_a_model_is_loaded():
    code = (
        "import sys\n"
        "from manyheads.models.encoder import load_encoder\n"
        "assert 'transformers' not in sys.modules\n"
        "sys.modules['transformers'] = None  # as if it were not installed\n"
        "try: load_encoder()\n"
        "except ImportError as error: sys.exit('pip install' not in str(error))\n"
        "sys.exit(2)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
