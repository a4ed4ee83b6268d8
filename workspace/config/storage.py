"""Static files under names that carry their hash."""

from django.contrib.staticfiles.storage import ManifestStaticFilesStorage


class HashedStorage(ManifestStaticFilesStorage):
    """Follows the references of style sheets only.

    The stock class also demands the source map that a minified script names; those are not published.
    """

    patterns = (
        (
            "*.css",
            (
                r"""(?P<matched>url\((?P<quote>['"]{0,1})\s*(?P<url>.*?)(?P=quote)\))""",
                (
                    r"""(?P<matched>@import\s*(?P<quote>["'])\s*(?P<url>.*?)(?P=quote))""",
                    """@import url("%(url)s")""",
                ),
            ),
        ),
    )
