"""A site that is remembered."""

import json
import pickle
import subprocess

import pytest
import tsrec


def pages(count):
    """A site of ours whose pages share a frame, and a notice that only its repeating shows to be none of the content."""
    notice = "<p>This paper is made by eleven people and a dog, and it would please all twelve of them to hear from you.</p>"
    for number in range(count):
        story = "".join(f"<p>On day {number * 7 + day} the ferry number {number} met {day} seals, and nobody on board was surprised by any of them.</p>" for day in range(6))
        yield f"<title>Ferry {number}</title><ul><li><a href=/>Home</a><li><a href=/news>News</a></ul><div><h1>Ferry {number} sails</h1>{story}</div>{notice}"


def test_a_site_is_learned_and_serves_from_the_fourth_page_on():
    site = tsrec.Site()
    *known, last = pages(6)
    assert [site.learn(page) for page in known] == [1] * 5
    assert site.pages == 5 and [template["pages"] for template in site.templates] == [5] and site.templates[0]["serves"]
    page = site.extract(last)
    assert page.method == "memory" and page.remembered == 5
    assert page.text.startswith("Ferry 5 sails") and "eleven people" not in page.text
    # Extracting teaches nothing unless that is asked for.
    assert site.pages == 5
    site.extract(last, learn=True)
    assert site.pages == 6 and "6 pages, 1 templates" in repr(site)


def test_a_page_of_another_template_stands_alone(article):
    site = tsrec.Site()
    for page in pages(5):
        site.learn(page)
    page = site.extract(article)
    assert page.method == "blocks" and page.remembered == 0 and "rain" in page.text


def test_page_by_page_it_is_what_the_command_line_does(program, tmp_path):
    lines, site, ours = [], tsrec.Site(), []
    for number, page in enumerate(pages(8)):
        url = f"https://ferry.example/{number}"
        lines.append(json.dumps({"id": str(number), "url": url, "html": page}))
        ours.append(site.extract(page, url, learn=True).to_dict())
    (tmp_path / "pages.jsonl").write_text("\n".join(lines))
    command = [program, "extract", "--batch", "pages.jsonl", "--sites", "--format", "json", "--elements"]
    printed = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    for line, page in zip(printed.splitlines(), ours, strict=True):
        theirs = json.loads(line)
        for name in ("id", "site", "input"):
            theirs.pop(name), page.pop(name, None)
        # The batch parses JSON's text as bytes of its own charset.
        assert page == theirs


def test_a_site_is_kept_and_comes_back(program, tmp_path):
    site = tsrec.Site()
    *known, last = pages(6)
    for page in known:
        site.learn(page)
    file = tmp_path / "site.memory"
    site.save(file)
    for back in (tsrec.Site.load(file), tsrec.Site.load(str(file)), tsrec.Site.from_bytes(site.to_bytes()), pickle.loads(pickle.dumps(site))):
        assert back.to_bytes() == site.to_bytes() == file.read_bytes()
        assert back.extract(last).text == site.extract(last).text
    # The command line reads the same file.
    (tmp_path / "last.html").write_text(last)
    command = [program, "extract", "last.html", "--memory", "site.memory"]
    printed = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert printed.rstrip("\n") == site.extract(last).text


def test_what_is_no_memory_is_refused_with_the_way_out(tmp_path):
    with pytest.raises(tsrec.MemoryFileError, match="this is not a tsrec memory"):
        tsrec.Site.from_bytes(b"hello")
    damaged = bytearray(tsrec.Site().to_bytes())
    damaged[-1] ^= 1
    file = tmp_path / "damaged.memory"
    file.write_bytes(damaged)
    with pytest.raises(tsrec.MemoryFileError, match="damaged.memory: the memory is damaged"):
        tsrec.Site.load(file)
    with pytest.raises(FileNotFoundError):
        tsrec.Site.load(tmp_path / "absent.memory")
    with pytest.raises(tsrec.NotHtmlError):
        tsrec.Site().learn(b"%PDF-1.7")


def test_the_site_of_an_address():
    assert tsrec.site_of("https://news.example.co.uk/a") == "example.co.uk"
    assert tsrec.site_of("http://127.0.0.1:8000/a") == "127.0.0.1"
    assert tsrec.site_of("mailto:a@example.org") is None
    with pytest.raises(ValueError, match="no address of a page"):
        tsrec.site_of("news.example")
