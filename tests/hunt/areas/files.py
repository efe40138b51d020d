"""Hostile runs of the program: full disks, closed descriptors, signals, damaged files, outputs over inputs."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from hunt.engine import INTERNAL
from hunt.oracles.files_commands import COMMANDS, Command, kit, reference
from hunt.program import LIMIT, Place, environment
from hunt.verdict import Finding, Judge, NotApplicable

ATTACKS = ("closed", "full", "pipe", "limit", "kill", "damage", "over", "link", "twice", "folder", "other")
SIGNALS = {"SIGINT": signal.SIGINT, "SIGTERM": signal.SIGTERM, "SIGKILL": signal.SIGKILL}
OLD = b"an old file\n"


def subjects() -> list[str]:
    """The subcommands."""
    return list(COMMANDS)


def attacks_of(command: Command) -> list[str]:
    """The attacks that mean something for a command."""
    left_out = set() if command.inputs else {"damage"}
    if not command.out:
        left_out |= {"over", "link", "folder", "other", "limit"}
    if not command.more:
        left_out.add("twice")
    if not command.model:
        left_out.add("other")
    return [attack for attack in ATTACKS if attack not in left_out]


def draw(pick: Any, subject: str) -> dict[str, Any]:
    """An attack and what it needs."""
    command = COMMANDS[subject]
    attack = pick(st.sampled_from(attacks_of(command)))
    facts: dict[str, Any] = {"attack": attack}
    if attack in ("closed", "full", "pipe", "limit", "kill"):
        facts["file"] = bool(command.out) and (not command.alone or pick(st.booleans()))
        facts["old"] = pick(st.booleans())
        facts["json"] = pick(st.booleans()) and not subject.startswith("svm-")
    if attack == "closed":
        facts["closed"] = pick(st.sampled_from(([1], [0], [2], [0, 1], [1, 2], [0, 2], [0, 1, 2])))
    elif attack == "full":
        facts["named"] = bool(command.out) and pick(st.booleans())
    elif attack == "limit":
        facts["bytes"] = pick(st.sampled_from((0, 1, 100, 4096)))
    elif attack == "kill":
        facts["signal"] = pick(st.sampled_from(list(SIGNALS)))
        facts["delay"] = pick(st.integers(0, 30))
    elif attack == "damage":
        facts["input"] = pick(st.sampled_from(command.inputs))
        facts["how"] = pick(st.sampled_from(("cut", "byte", "bytes", "insert", "remove", "twice", "empty")))
        facts["at"] = pick(st.integers(0, 999))
        facts["value"] = pick(st.integers(0, 255))
    elif attack in ("over", "link"):
        facts["input"] = pick(st.sampled_from(command.inputs))
        facts["how"] = pick(
            st.sampled_from(("soft", "hard", "chain") if attack == "link" else ("plain", "dot", "whole"))
        )
    elif attack == "folder":
        facts["how"] = pick(st.sampled_from(("missing", "is", "below a file", "loop")))
    return facts


# ---- Runs ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class End:
    """How a hostile run ended."""

    arguments: list[str]
    code: int
    out: bytes
    err: str

    def line(self) -> str:
        """The command, its code and the end of what it said."""
        return f"mercer {' '.join(self.arguments)}: code {self.code}: {self.err.strip()[-200:]}"


def start(place: Place, arguments: list[str], before: Callable[[], None], stdout: Any) -> subprocess.Popen[bytes]:
    """Start the program; ``before`` is run in the child."""
    try:
        return subprocess.Popen(
            [os.environ["MERCER_HUNT_PROGRAM"], *arguments],
            cwd=place.path,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            preexec_fn=before,
            env=environment(place.path),
        )
    except PermissionError as error:
        raise NotApplicable("the program is being built") from error


def end(process: subprocess.Popen[bytes], arguments: list[str], judge: Judge, allowed: tuple[int, ...] = ()) -> End:
    """Wait for the end; no hang, no signal but those allowed, no internal words."""
    try:
        out, err = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired as error:
        process.kill()
        process.communicate()
        raise Finding("hang", f"mercer {' '.join(arguments)} runs longer than {LIMIT:g} s") from error
    found = End(arguments, process.returncode, out or b"", err.decode("utf-8", "replace"))
    judge.holds("exit_code", found.code in (0, 1, 2, 3, *allowed), found.line())
    judge.holds("messages", found.code == 0 or not any(word in found.err for word in INTERNAL), found.line())
    return found


def run(
    place: Place,
    arguments: list[str],
    judge: Judge,
    *,
    before: Callable[[], None] = lambda: None,
    stdout: Any = subprocess.PIPE,
) -> End:
    """Run the program to its end."""
    return end(start(place, arguments, before, stdout), arguments, judge)


def prepared(place: Place, command: Command) -> None:
    """Write the files that a command reads."""
    for name in command.inputs:
        place.write(name, kit()[name])


def old_content(command: Command) -> bytes:
    """What an older file of the output's name holds: models replace models alone."""
    return kit()["old.mercer"] if command.model else OLD


def inputs_intact(place: Place, command: Command, judge: Judge, but: str = "") -> None:
    """No input has changed."""
    for name in command.inputs:
        if name != but:
            judge.same("inputs_intact", place.read(name), kit()[name], name)


def no_parts(place: Place, judge: Judge) -> None:
    """No half of a file is left."""
    left = [path.name for path in place.path.iterdir() if ".part" in path.name]
    judge.holds("parts", not left, f"left behind: {left}")


def judge_output(place: Place, subject: str, done: End, old: bool, judge: Judge) -> None:
    """A run that succeeds has written the right file; one that fails has left the old one, or none."""
    command = COMMANDS[subject]
    path = place.path / command.out
    if done.code == 0:
        judge.holds("lost_result", path.exists(), f"no {command.out}, but {done.line()}")
        if command.steady:
            judge.same("right_file", path.read_bytes(), reference(subject)[1], f"{command.out} after {done.line()}")
        else:
            page = path.read_bytes()
            judge.holds("right_file", b"</html>" in page and page.endswith(b"-->\n"), f"half a page: {done.line()}")
    elif old:
        content = path.read_bytes() if path.exists() else b""
        judge.same("old_file", content, old_content(command), f"the old {command.out} after {done.line()}")
    else:
        judge.holds("old_file", not path.exists(), f"{command.out} appeared, but {done.line()}")


def judge(subject: str, facts: dict[str, Any], judge: Judge) -> None:
    """Attack."""
    if "MERCER_HUNT_PROGRAM" not in os.environ:
        raise NotApplicable("no program is named")
    command = COMMANDS[subject]
    with Place() as place:
        prepared(place, command)
        globals()[f"attack_{facts['attack']}"](place, subject, command, facts, judge)


def hostile(place: Place, command: Command, facts: dict[str, Any]) -> list[str]:
    """The arguments of a run whose output goes to a file or to standard output, above an old file or not."""
    if facts["file"] and facts["old"]:
        place.write(command.out, old_content(command))
    arguments = command.arguments(command.out if facts["file"] else "", "")
    return [*arguments, "--json"] if facts["json"] else arguments


def needs_output(command: Command, facts: dict[str, Any], subject: str) -> bool:
    """Whether a result or --json belongs on standard output."""
    return facts["json"] or not facts["file"] or subject == "svm-scale"


# ---- Lost outputs --------------------------------------------------------------------------------------------------


def _judge_lost(place: Place, subject: str, facts: dict[str, Any], done: End, lost: bool, judge: Judge) -> None:
    """Standard output was lost or not: the exit code says so, and files are right."""
    command = COMMANDS[subject]
    if lost and needs_output(command, facts, subject):
        judge.holds("lost_result", done.code == 1, f"standard output was lost, but {done.line()}")
    elif not lost or subject not in ("svm-predict", "svm-train"):
        judge.holds("lost_message", done.code == 0, f"nothing that matters was lost, but {done.line()}")
    if facts["file"] and not (lost and needs_output(command, facts, subject)) and done.code == 0:
        judge_output(place, subject, done, facts["old"], judge)
    inputs_intact(place, command, judge)
    no_parts(place, judge)


def attack_closed(place: Place, subject: str, command: Command, facts: dict[str, Any], judge: Judge) -> None:
    """Descriptors that are closed, so that files that are opened may get their numbers."""

    def close() -> None:
        for number in facts["closed"]:
            os.close(number)

    done = run(place, hostile(place, command, facts), judge, before=close)
    _judge_lost(place, subject, facts, done, 1 in facts["closed"], judge)


def attack_full(place: Place, subject: str, command: Command, facts: dict[str, Any], judge: Judge) -> None:
    """A full disk: behind standard output, or behind the output's name."""
    if facts["named"]:
        done = run(place, command.arguments("/dev/full", ""), judge)
        judge.holds("lost_result", done.code != 0, done.line())
        inputs_intact(place, command, judge)
        return
    with open("/dev/full", "wb") as full:
        done = run(place, hostile(place, command, facts), judge, stdout=full)
    _judge_lost(place, subject, facts, done, True, judge)


def attack_pipe(place: Place, subject: str, command: Command, facts: dict[str, Any], judge: Judge) -> None:
    """Nobody reads standard output."""
    reader, writer = os.pipe()
    os.close(reader)
    arguments = hostile(place, command, facts)
    process = start(place, arguments, lambda: None, writer)
    os.close(writer)
    done = end(process, arguments, judge, allowed=(-signal.SIGPIPE, 128 + signal.SIGPIPE))
    if needs_output(command, facts, subject):
        judge.holds("lost_result", done.code != 0, f"nobody read the result, but {done.line()}")
    no_parts(place, judge)
    inputs_intact(place, command, judge)


def attack_limit(place: Place, subject: str, command: Command, facts: dict[str, Any], judge: Judge) -> None:
    """Files may not grow beyond some bytes."""
    arguments = hostile(place, command, facts)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (facts["bytes"], facts["bytes"]))

    done = run(place, arguments, judge, before=limit)
    if not facts["file"]:
        judge.holds("lost_message", done.code == 0, f"no file was written, but {done.line()}")
        return
    if command.steady and len(reference(subject)[1]) > facts["bytes"]:
        judge.holds("lost_result", done.code == 1, f"the file cannot be whole, but {done.line()}")
    judge_output(place, subject, done, facts["old"], judge)
    no_parts(place, judge)
    inputs_intact(place, command, judge)


def attack_kill(place: Place, subject: str, command: Command, facts: dict[str, Any], judge: Judge) -> None:
    """A signal at some moment: the old file or the new one, never a half, and no parts but after SIGKILL."""
    arguments = hostile(place, command, facts)
    sent = SIGNALS[facts["signal"]]
    process = start(place, arguments, lambda: None, subprocess.PIPE)
    time.sleep(facts["delay"] / 2000)
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(sent)
    done = end(process, arguments, judge, allowed=(-sent, 128 + sent))
    inputs_intact(place, command, judge)
    if sent != signal.SIGKILL:
        no_parts(place, judge)
    if not facts["file"]:
        return
    path = place.path / command.out
    content = path.read_bytes() if path.exists() else None
    whole = [reference(subject)[1]] if command.steady else []
    if done.code != 0:
        whole.append(old_content(command) if facts["old"] else None)
    if command.steady or content is None:
        judge.holds("whole_file", content in whole, f"{command.out} is neither old nor new after {done.line()}")


# ---- Damaged inputs ------------------------------------------------------------------------------------------------


def damaged(content: bytes, facts: dict[str, Any]) -> bytes:
    """Bytes with something wrong at a place."""
    at = facts["at"] * len(content) // 1000
    value = bytes([facts["value"]])
    if facts["how"] == "cut":
        return content[:at]
    if facts["how"] == "byte":
        return content[:at] + value + content[at + 1 :]
    if facts["how"] == "bytes":
        return content[:at] + 8 * value + content[at + 8 :]
    if facts["how"] == "insert":
        return content[:at] + value + content[at:]
    if facts["how"] == "remove":
        return content[:at] + content[at + 1 + facts["value"] % 16 :]
    return content + content if facts["how"] == "twice" else b""


def attack_damage(place: Place, subject: str, command: Command, facts: dict[str, Any], judge: Judge) -> None:
    """A damaged input is refused (a model always, unless the answers are the same), or is other data."""
    name = facts["input"]
    content = damaged(kit()[name], facts)
    place.write(name, content)
    more = command.more if subject == "tune" else ""
    done = run(place, command.arguments(command.out, more), judge)
    judge.same("inputs_intact", place.read(name), content, name)
    no_parts(place, judge)
    if content == kit()[name]:
        raise NotApplicable("nothing is damaged")
    if done.code == 0 and name.endswith(".mercer") and command.out and command.steady:
        judge.same("damaged_model", place.read(command.out), reference(subject)[1], f"answers of a damaged {name}")
    if done.code != 0:
        judge.holds("messages", bool(done.err.strip()), f"not a word: {done.line()}")
        judge.holds(
            "old_file", not command.out or not (place.path / command.out).exists(), f"{done.line()} wrote a file"
        )


# ---- Names of outputs ----------------------------------------------------------------------------------------------


def _refused(place: Place, command: Command, done: End, judge: Judge, code: int | None = None) -> None:
    judge.holds("refused_output", done.code == (command.failure if code is None else code), done.line())
    inputs_intact(place, command, judge)
    no_parts(place, judge)


def attack_over(place: Place, subject: str, command: Command, facts: dict[str, Any], judge: Judge) -> None:
    """The output is an input, by one name or another."""
    name = facts["input"]
    names = {"plain": name, "dot": f"./{name}", "whole": str(place.path / name)}
    _refused(place, command, run(place, command.arguments(names[facts["how"]], ""), judge), judge)


def attack_link(place: Place, subject: str, command: Command, facts: dict[str, Any], judge: Judge) -> None:
    """The output is a link to an input."""
    target = place.path / facts["input"]
    out = place.path / command.out
    if facts["how"] == "hard":
        os.link(target, out)
    elif facts["how"] == "chain":
        (place.path / "first").symlink_to(target)
        out.symlink_to("first")
    else:
        out.symlink_to(facts["input"])
    _refused(place, command, run(place, command.arguments(command.out, ""), judge), judge)


def attack_twice(place: Place, subject: str, command: Command, facts: dict[str, Any], judge: Judge) -> None:
    """Two outputs of one name."""
    done = run(place, command.arguments(command.out, f"./{command.out}"), judge)
    _refused(place, command, done, judge)
    judge.holds("refused_output", not (place.path / command.out).exists(), f"a file was written: {done.line()}")


def attack_folder(place: Place, subject: str, command: Command, facts: dict[str, Any], judge: Judge) -> None:
    """A folder that is missing, one in place of the file, a file in place of the folder, a link to itself."""
    if facts["how"] == "is":
        (place.path / command.out).mkdir()
        name = command.out
    elif facts["how"] == "below a file":
        name = f"{command.inputs[0]}/{command.out}"
    elif facts["how"] == "loop":
        (place.path / command.out).symlink_to(command.out)
        name = command.out
    else:
        name = f"missing/{command.out}"
    done = run(place, command.arguments(name, ""), judge)
    judge.holds("refused_output", done.code != 0 and bool(done.err.strip()), done.line())
    judge.holds("refused_output", not (place.path / "missing").exists(), "a folder was made")
    inputs_intact(place, command, judge)
    no_parts(place, judge)


def attack_other(place: Place, subject: str, command: Command, facts: dict[str, Any], judge: Judge) -> None:
    """A model replaces no file that is none, unless it is forced to."""
    place.write(command.out, OLD)
    _refused(place, command, run(place, command.arguments(command.out, ""), judge), judge)
    judge.same("old_file", place.read(command.out), OLD, "the file that is no model")
    done = run(place, [*command.arguments(command.out, ""), "--force"], judge)
    judge.holds("right_file", done.code == 0, done.line())
    judge_output(place, subject, done, True, judge)
