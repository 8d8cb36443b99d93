"""Runs tsrec's column of docs/from-trafilatura.md."""

import re
from pathlib import Path
from types import SimpleNamespace

import lxml.html
import pandas
import tsrec

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "from-trafilatura.md"
URL = "https://courier.example/news/roof.html"


def test_each_line_runs(article):
    html = article.decode()
    names = {
        "tsrec": tsrec,
        "html": html,
        "url": URL,
        "pages": [html],
        "df": pandas.DataFrame({"html": [html], "url": [URL]}),
        "lxml": lxml,
        "tree": lxml.html.fromstring(html),
        "response": SimpleNamespace(data=article),
    }
    lines = re.findall(r"`((?:tsrec\.|page = |\[name for)[^`]*)`", GUIDE.read_text())
    assert len(lines) > 30
    for line in lines:
        statement, _, value = line.rpartition("; ")
        exec(statement, names)
        assert eval(value, names) not in (None, ""), line


def test_attributes_are_there(article):
    page = tsrec.extract(article)
    table = GUIDE.read_text().split("## bare_extraction")[1].split("\n## ")[0]
    cells = [row.split("|")[2] for row in table.splitlines() if row.startswith("| `.")]
    named = {name for cell in cells for name in re.findall(r"`\.(\w+)", cell)}
    assert len(cells) > 15 and len(named) > 12 and all(hasattr(page, name) for name in named)
