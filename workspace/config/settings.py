"""Settings. What a person may change is an environment variable: see the table in the documentation."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.utils.csp import CSP

from workspace.config import database, logs, mail, queue, secret, sign_in
from workspace.config.environment import ROOT, Environment, WrongValue

env = Environment()

# -- the instance -------------------------------------------------------------

BATON_DATA = env.folder("BATON_DATA", ROOT / ".baton")
BATON_BASE_URL = env.url("BATON_BASE_URL", ("http", "https"), "http://127.0.0.1:8000").rstrip("/")
BATON_SIGNUP = env.choice("BATON_SIGNUP", ("closed", "open"), "closed")
BATON_DOCUMENT_BYTES = env.integer("BATON_DOCUMENT_BYTES", 1024 * 1024, least=1024, most=64 * 1024 * 1024)
BATON_BODY_BYTES = env.integer(
    # JSON may write each byte of a document as an escape of six.
    "BATON_BODY_BYTES",
    max(2_621_440, BATON_DOCUMENT_BYTES * 6 + 65_536),
    least=BATON_DOCUMENT_BYTES,
)

# How long the outcome of a request with an idempotency key is kept for its repetitions.
BATON_IDEMPOTENCY_HOURS = env.integer("BATON_IDEMPOTENCY_HOURS", 24, least=1, most=24 * 365)
# How long a draft is kept that somebody set aside; 0 keeps it for ever.
BATON_CONFLICT_DAYS = env.integer("BATON_CONFLICT_DAYS", 90, most=36_500)
# 0 keeps the audit log for ever.
BATON_AUDIT_DAYS = env.integer("BATON_AUDIT_DAYS", 0, most=36_500)
# How long unsaved text of the editor is kept that nobody came back to.
BATON_DRAFT_DAYS = env.integer("BATON_DRAFT_DAYS", 90, least=1, most=36_500)

_base = urlsplit(BATON_BASE_URL)
if not _base.hostname or _base.path or _base.query or _base.fragment:
    raise WrongValue("BATON_BASE_URL", "an address without a path, such as https://baton.example.org")
BATON_HTTPS = _base.scheme == "https"
# Whose X-Forwarded-For is believed. Without it limits by address could be dodged by writing the header.
BATON_PROXIES = [address.strip() for address in env.text("BATON_PROXIES").split(",") if address.strip()]


SECRET_KEY = secret.key(env.text("BATON_SECRET_KEY"), BATON_DATA)
DEBUG = False

# -- application --------------------------------------------------------------

INSTALLED_APPS = [
    "workspace",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.socialaccount.providers.google",
    "allauth.socialaccount.providers.github",
    "allauth.socialaccount.providers.gitlab",
    "allauth.socialaccount.providers.microsoft",
    "allauth.idp.oidc",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
]

MIDDLEWARE = [
    "workspace.config.middleware.observe",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "workspace.web.held.SignInRequired",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "workspace.web.leaving.middleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "workspace.config.urls"
ASGI_APPLICATION = "workspace.config.asgi.application"
WSGI_APPLICATION = "workspace.config.wsgi.application"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.csp",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "workspace.web.frame.around",
            ],
            "builtins": ["django.templatetags.static", "workspace.web.components", "workspace.web.entrance"],
        },
    }
]

# -- database -----------------------------------------------------------------

EMBEDDED_POSTGRES: Path | None = None
DATABASE_URL = env.url("DATABASE_URL", ("postgresql", "postgres"))
if not DATABASE_URL:
    from workspace.management.postgres import Cluster

    EMBEDDED_POSTGRES = BATON_DATA / "postgres"
    DATABASE_URL = Cluster(folder=EMBEDDED_POSTGRES).url

# Off for a pooler between here and PostgreSQL that does not know prepared statements.
BATON_PREPARE = env.flag("BATON_PREPARE", True)
BATON_DATABASE_POOL = env.integer("BATON_DATABASE_POOL", 24, least=2, most=1000)


DATABASES = {"default": database.connection(DATABASE_URL, prepare=BATON_PREPARE, pool=BATON_DATABASE_POOL)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# -- cache: rate limits, OAuth codes; one for all processes ------------------

CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "baton_cache",
        # At the stock 300 a crowd of visitors would push each other's limits out.
        "OPTIONS": {"MAX_ENTRIES": 20_000, "CULL_FREQUENCY": 4},
    }
}

# -- people -------------------------------------------------------------------

AUTH_USER_MODEL = "workspace.Person"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "account_login"

CSRF_FAILURE_VIEW = "workspace.web.errors.csrf_failed"

ACCOUNT_ADAPTER = "workspace.web.accounts.AccountAdapter"
ACCOUNT_FORMS = {"add_email": "workspace.web.forms.accounts.ChangeEmailForm"}
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_USER_MODEL_EMAIL_FIELD = "email"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_SIGNUP_FORM_CLASS = "workspace.web.forms.names.NamedForm"
# Grants go to addresses, so nobody enters under one that they have not shown to be theirs. It also lets the
# sign-up page answer alike whether or not somebody has the address.
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_SESSION_REMEMBER = None
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""

MFA_ADAPTER = "workspace.web.accounts.MFAAdapter"
MFA_FORMS = {
    "activate_totp": "workspace.web.forms.accounts.AppForm",
    "add_webauthn": "workspace.web.forms.accounts.AddPasskeyForm",
    "authenticate": "workspace.web.forms.accounts.SecondStepForm",
    "authenticate_webauthn": "workspace.web.forms.accounts.SecondPasskeyForm",
    "login_webauthn": "workspace.web.forms.accounts.PasskeyForm",
    "reauthenticate_webauthn": "workspace.web.forms.accounts.ConfirmPasskeyForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Baton"
# A code of the half minute before or after is taken too: clocks differ.
MFA_TOTP_TOLERANCE = 1
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_ALLOW_UNVERIFIED_EMAIL = True
# Browsers give passkeys to http pages of this machine only, and so does the library with this.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not BATON_HTTPS
# Activity is a write for each request; a session tells when and where it began.
USERSESSIONS_TRACK_ACTIVITY = False

SOCIALACCOUNT_ADAPTER = "workspace.web.accounts.SocialAdapter"
SOCIALACCOUNT_PROVIDERS = sign_in.providers(env, signup=BATON_SIGNUP)
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
SOCIALACCOUNT_QUERY_EMAIL = True

# -- the authorization server: agents that sign in for a person ----------------

IDP_OIDC_ADAPTER = "workspace.oauth.adapter.OAuthAdapter"
IDP_OIDC_DCR_ENABLED = True
IDP_OIDC_DCR_REQUIRES_INITIAL_ACCESS_TOKEN = False
IDP_OIDC_ROTATE_REFRESH_TOKEN = True
# Opaque, so that revoking holds from the next request on.
IDP_OIDC_ACCESS_TOKEN_FORMAT = "opaque"  # noqa: S105
IDP_OIDC_ACCESS_TOKEN_EXPIRES_IN = 3600
IDP_OIDC_REFRESH_TOKEN_EXPIRES_IN = 30 * 24 * 3600
IDP_OIDC_AUTH_METHODS = ["none"]
# Off: the library would fetch descriptions of clients from anywhere. workspace.oauth.documents does it instead.
IDP_OIDC_CIMD_ENABLED = False
# Hosts whose documents may describe a client whose id is their address; "*" for any, nothing for none.
BATON_OAUTH_CLIENT_HOSTS = env.names("BATON_OAUTH_CLIENT_HOSTS")
BATON_OAUTH_PRIVATE_ADDRESSES = env.flag("BATON_OAUTH_PRIVATE_ADDRESSES")
# Schemes of applications that answers may be sent to though they are not written like a reversed domain name.
BATON_OAUTH_SCHEMES = env.names("BATON_OAUTH_SCHEMES", "cursor,vscode,vscode-insiders,windsurf")
# Registrations, device codes and fetched documents, of each for one address.
BATON_OAUTH_PER_MINUTE = env.integer("BATON_OAUTH_PER_MINUTE", 20, least=1, most=100_000)
BATON_OAUTH_UNUSED_CLIENTS = env.integer("BATON_OAUTH_UNUSED_CLIENTS", 1_000, least=1, most=1_000_000)
BATON_OAUTH_UNUSED_DAYS = env.integer("BATON_OAUTH_UNUSED_DAYS", 7, least=1, most=3_650)
BATON_OAUTH_REFRESH_GRACE_S = env.integer("BATON_OAUTH_REFRESH_GRACE_S", 10, most=300)

# -- the browser's side -------------------------------------------------------

_LOOPBACK = ["127.0.0.1", "localhost", "[::1]"]
ALLOWED_HOSTS = sorted({_base.hostname if ":" not in _base.hostname else f"[{_base.hostname}]", *_LOOPBACK})
CSRF_TRUSTED_ORIGINS = [BATON_BASE_URL]

SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF, CSP.NONCE],
    "style-src": [CSP.SELF],
    # No remote images: a document could otherwise tell a stranger who reads it and when.
    "img-src": [CSP.SELF, "data:"],
    "font-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "manifest-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "frame-ancestors": [CSP.NONE],
    "base-uri": [CSP.NONE],
}
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 31_536_000 if BATON_HTTPS else 0
# What `check --deploy` asks for that is not an instance's to decide: HTTPS ends at a proxy, which redirects to it, and
# other names of its domain belong to others.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W008", "security.W021"]
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BATON_HTTPS
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = ("__Host-session", "__Host-csrf") if BATON_HTTPS else ("session", "csrf")
DATA_UPLOAD_MAX_MEMORY_SIZE = BATON_BODY_BYTES

# -- static files -------------------------------------------------------------

STATIC_URL = "/static/"
STATICFILES_DIRS = [ROOT / "static"] if (ROOT / "static").is_dir() else []
STATIC_ROOT = BATON_DATA / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "workspace.config.storage.HashedStorage"},
}

# -- language and time --------------------------------------------------------

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

# -- REST ---------------------------------------------------------------------

REST_FRAMEWORK = {
    # Django's LoginRequiredMiddleware leaves REST views alone, so these have to deny.
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "workspace.rest.auth.TokenAuthentication",
        "workspace.rest.auth.BrowserAuthentication",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "workspace.rest.errors.handler",
    "UNAUTHENTICATED_USER": None,
}

# The deployment check would describe the interface by the library's settings; the document has its own.
SPECTACULAR_SETTINGS = {"ENABLE_DJANGO_DEPLOY_CHECK": False}

# -- mail ---------------------------------------------------------------------

MAILERS = {
    "default": mail.mailer(env.url("BATON_EMAIL_URL", ("smtp", "smtps", "smtp+starttls", "console"))),
}
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.text("BATON_EMAIL_FROM", f"Baton <baton@{_base.hostname}>")

# -- jobs ---------------------------------------------------------------------

CELERY_BROKER_URL = env.url(
    "CELERY_BROKER_URL", ("filesystem", "redis", "rediss", "amqp", "amqps"), "filesystem://localhost"
)
BATON_SWEEP_S = env.seconds("BATON_SWEEP_S", 5.0, least=0.2, most=3600)
BATON_BROKER_FOLDER = queue.folder(CELERY_BROKER_URL, BATON_DATA)
# A broker that is away costs a sender this much at most, and no second try: the sweep finds the row.
CELERY_BROKER_CONNECTION_TIMEOUT = 1.0
CELERY_BROKER_TRANSPORT_OPTIONS = queue.transport(CELERY_BROKER_URL, BATON_BROKER_FOLDER)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_DEFAULT_QUEUE = "baton"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_DELIVERY_MODE = "transient"
CELERY_TASK_PUBLISH_RETRY = False
CELERY_RESULT_BACKEND = None
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_TIMEZONE = "UTC"
# In memory: every interval is short, and a schedule file in the working folder helps nobody.
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"
CELERY_BEAT_SCHEDULE = queue.schedule(sweep=BATON_SWEEP_S)

# -- engines ------------------------------------------------------------------

# Only engines that exist can be chosen: a name that is accepted here and fails in every job would be found out late.
BATON_SUMMARIZER = env.choice("BATON_SUMMARIZER", ("extractive", "dummy"), "extractive")
BATON_EMBEDDINGS = env.choice("BATON_EMBEDDINGS", ("none",), "none")

# -- logs ---------------------------------------------------------------------

BATON_LOG_LEVEL = env.choice("BATON_LOG_LEVEL", ("DEBUG", "INFO", "WARNING", "ERROR"), "INFO")
BATON_ACCESS_LOG = env.flag("BATON_ACCESS_LOG")
BATON_METRICS_TOKEN = env.text("BATON_METRICS_TOKEN")
LOGGING = logs.configuration(BATON_LOG_LEVEL)
