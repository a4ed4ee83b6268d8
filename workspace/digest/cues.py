"""The words by which a line of a session tells what it is about: headings and labels, cue words, chatter, speakers."""

import re

_HEADINGS: dict[str, str] = {
    "asked": (
        "asked|ask|request|requests|requested|requirement|requirements|task|tasks|goal|goals|objective"
        "|objectives|problem|aim"
        "|question|issue|context|brief|what was asked|user request|用户请求|请求|任务|目标|需求|依頼|要望|目的"
        "|요청|목표|запрос|задача|цель"
        "|auftrag|aufgabe|anfrage|ziel|demande|objectif|tâche|solicitud|petición|objetivo|tarea|pedido"
        "|richiesta|obiettivo"
    ),
    "decided": (
        "decided|decision|decisions|decisions made|key decisions|agreed|agreement|agreements|conclusion"
        "|conclusions|resolved"
        "|resolution|chosen|choice|choices|决定|决策|结论|決定|決定事項|結論|결정|결정사항|결론|решено|решение"
        "|решения|вывод|выводы"
        "|entscheidung|entscheidungen|beschluss|beschlüsse|décision|décisions|conclusiones|decisión|decisiones"
        "|decisão|decisões"
        "|decisione|decisioni"
    ),
    "tried": (
        "tried|tried and rejected|attempted|attempts|rejected|rejected alternatives|alternatives"
        "|alternatives considered"
        "|considered|what did not work|what didn't work|did not work|didn't work|dead ends|dead end|failed"
        "|failures|ruled out"
        "|discarded|abandoned|尝试|已尝试|失败|放弃|試したこと|却下|失敗|시도|실패|попытки|отклонено|пробовали"
        "|versucht|verworfen|gescheitert|essais|essayé|rejeté|intentado|rechazado|descartado|tentativas"
        "|tentativi|scartato"
    ),
    "changed": (
        "changed|changes|changes made|change|done|what was done|what changed|completed|finished|implemented"
        "|implementation|work"
        "|work done|progress|result|results|outcome|shipped|fixed|added|summary|files changed|modified files"
        "|更改|改动|变更|已完成|完成"
        "|修改|变化|変更|変更点|完了|결과|변경|변경사항|완료|изменения|сделано|выполнено|результат"
        "|geändert|änderungen|erledigt|ergebnis|modifications|changements|fait|réalisé|cambios|hecho|realizado"
        "|mudanças|feito"
        "|modifiche|fatto"
    ),
    "open": (
        "open|open questions|open items|open issues|open points|question open|questions|next|next step"
        "|next steps|next up|to do"
        "|to-do|to-dos|todo|todos|remaining|remaining work|left|left to do|what is left|what's left|outstanding"
        "|unresolved|pending"
        "|follow up|follow-up|follow ups|follow-ups|blocked|blockers|blocker|risks|action items|actions"
        "|unknowns|not done|still open"
        "|known issues|后续|下一步|待办|待办事项|未解决|未完成|遗留问题|問題点|次のステップ|今後|未解決|残件"
        "|課題|다음|다음단계|다음 단계|할 일|미해결|남은 작업"
        "|открыто|открытые вопросы|следующие шаги|дальше|осталось|offen|offene fragen|offene punkte"
        "|nächste schritte|ausstehend"
        "|prochaines étapes|à faire|questions ouvertes|reste à faire|próximos pasos|pendiente|pendientes"
        "|por hacer|próximos passos"
        "|pendências|prossimi passi|da fare"
    ),
}
_SECTION = {name: section for section, names in _HEADINGS.items() for name in names.split("|")}

_CUES = {
    "tried": (
        r"tried|attempted|rejected|ruled out|abandoned|gave up|giving up|dead end|rolled back|discarded"
        r"|reverted|(?:we|i|was|were|also) considered|(?:did|does|do) ?n[o']t work|didn't (?:work|help)"
        r"|(?:did|does) not help"
        r"|made (?:it|things) worse"
        r"|failed because|turned out (?:not )?to|no luck"
    ),
    "decided": (
        r"decided|decision|agreed|chose|chosen|settled on|opted (?:for|to)|going with|went with|will (?:stay"
        r"|remain|keep)"
        r"|(?:we|i)(?: will|'ll) (?:use|keep|go with|stick)|stick(?:ing)? (?:with|to)|approved|from now on"
        r"|the rule is|by design"
        r"|must (?:not |never |always )?|instead of|rather than"
    ),
    "open": (
        r"todo|to-do|fixme|next steps?|next,|remains|remaining|still (?:needs?|has|have|to|open|missing|fails?"
        r"|failing|broken"
        r"|unclear|unknown)|not yet|yet to|pending|open (?:question|issue|point)|unclear|unresolved"
        r"|follow[- ]up|blocked (?:by|on)"
        r"|waiting (?:for|on)|needs? to be|left to do|left open|nobody has|no one has|has(?: not|n't)"
        r"|have(?: not|n't)|is not done"
        r"|not (?:finished|done|tested|covered)|needs? (?:a |an |more )?(?:review|test|decision|answer|fix|follow)"
    ),
    "changed": (
        # "was added" happened; "should be added" and "when added" did not.
        r"(?<!be )(?<!being )(?<!when )(?<!if )(?<!never )(?:added|changed|fixed|removed|renamed|moved|updated"
        r"|implemented|wrote|written|created|deleted|refactored|replaced|merged|committed|deployed|released|migrated"
        r"|introduced|upgraded|downgraded|bumped|extracted|configured|enabled|disabled|rewrote|rewritten|simplified"
        r"|reduced|raised|lowered|published|installed|documented|covered|finished|completed)"
        r"|now (?:uses?|returns?|takes?|has|have|is|are|passes?|pass|works?|runs?|supports?|shows?|reads?|writes?)"
    ),
    "asked": (
        r"asked|asks|wants?|wanted|requested|requests|please|(?:can|could|would) (?:you|we)|i(?:'d| would) like"
        r"|the (?:task|goal"
        r"|request|aim|problem) (?:is|was)|need you to|required to|is required|make sure"
    ),
}
_CUE = re.compile(
    r"(?<![\w-])(?:" + "|".join(f"(?P<{section}>{words})" for section, words in _CUES.items()) + r")(?![\w-])",
    re.IGNORECASE,
)

_CHATTER = re.compile(
    r"(?:sure|okay|ok|great|perfect|excellent|awesome|thanks|thank you|hello|hi|hey|good (?:morning|question"
    r"|catch|point|idea)"
    r"|you're (?:right|welcome)|you are (?:right|welcome)|sorry|my apologies|i apologi[sz]e|no problem"
    r"|of course|certainly"
    r"|absolutely|alright|all right|hmm|wow|nice|yes|no|yep|yeah|got it|understood|sounds good|makes sense"
    r"|let me\b|let's\b"
    r"|let us\b|i'll\b|i will\b|i'm going to|i am going to|now i|now let|first,? (?:i|let)|here (?:is|are|'s)|here's"
    r"|looking at|i see\b|i think\b|i can see|as you can see|i hope|feel free|i'd be happy|happy to|would you like"
    r"|do you want|should i\b|shall i\b|anything else|is there anything|if you (?:want|need|like))\b",
    re.IGNORECASE,
)
_VERDICT = re.compile(r"\b(?:decided|decision|agreed|rejected|ruled out)\b", re.IGNORECASE)
_NOTHING = re.compile(
    r"(?:none|nothing|n/?a|nil|tbd|no|yes|ok|done|same|see above|empty|-+|\.+|…|无|没有|なし|없음|нет|keine?"
    r"|aucune?|ninguno|nessuno)"
    r"(?: yet| so far| open| left)?[.!]?\Z",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"[*_]{0,3}([^\W\d][\w' \-/]{0,38}[\w]|[^\W\d])[*_]{0,3}[ ]?[:：][*_]{0,3}(?:[ ]+(.+)|(?<=：)(.+)|)\Z"
)
_PEOPLE = "user|human"
_AGENTS = "assistant|agent|ai|claude|codex|gemini|chatgpt|copilot|cursor|opencode"
_MACHINES = "system|tool|tool[ _](?:use|call|result|output)|function|bash|shell|stdout|stderr|thinking|reasoning"
_SPEAKER = re.compile(
    r"(?:\[?[0-9][0-9:.,\-/ TZ+]{3,30}\]?[ ]{0,3}(?:[-|][ ])?)?[*_#> ]{0,8}[<\[]?"
    rf"(?:(?P<user>{_PEOPLE})|(?P<assistant>{_AGENTS})|(?P<machine>{_MACHINES}))"
    r"[>\]]?[*_]{0,3}[ ]{0,2}[:：>][*_]{0,3}(?:[ ]+|\Z)",
    re.IGNORECASE,
)
_SPEAKER_HEADING = re.compile(
    rf"(?:#{{1,6}} |\*\*)(?:(?P<user>{_PEOPLE})|(?P<assistant>{_AGENTS}))(?:\*\*)?\Z", re.IGNORECASE
)


def section_of_heading(title: str) -> str | None:
    """The section that a heading or label names, None for any other title."""
    name = re.sub(r"[*_`#:：.!]+|\([^)]*\)|\A[0-9]+[.)]", "", title).strip().casefold().replace("’", "'")
    if name in _SECTION:
        return _SECTION[name]
    words = re.split(r"\s+(?:and|&|und|et|y|e)\s+|\s*[/,、・]\s*", name)
    found = {_SECTION[word] for word in words if word in _SECTION}
    return found.pop() if len(found) == 1 else None


def label(text: str) -> tuple[str, str] | None:
    """(section, rest) for text such as `Decision: use Postgres` or `**Open:**`; the rest may be empty."""
    found = _LABEL.match(text)
    section = section_of_heading(found[1]) if found else None
    return (section, found[2] or found[3] or "") if found and section else None


def speaker(line: str) -> tuple[str, str] | None:
    """(role, rest) for a line such as `[12:03] User: fix it`; the role is `user`, `assistant` or `machine`."""
    found = _SPEAKER.match(line) or _SPEAKER_HEADING.match(line.rstrip())
    return (found.lastgroup or "", line[found.end() :]) if found else None


def section_of_sentence(text: str) -> str | None:
    """The section that the first cue word in `text` speaks for."""
    found = _CUE.search(text)
    return found.lastgroup if found else None


def chatter(text: str) -> bool:
    """Talk that carries nothing to the next reader. "OK, we decided to wait" does."""
    return _CHATTER.match(text) is not None and _VERDICT.search(text) is None


def nothing(text: str) -> bool:
    """`None.`, `n/a`, `-`: an item that says that there is none."""
    return _NOTHING.match(text.strip("*_` ")) is not None
