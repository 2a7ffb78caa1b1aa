import { type AllowedRange, parseRange } from '@despatch/domain/callback/may-call'
import { findIamFault } from '@despatch/postgres/iam-address'
import { findRedisFault } from '@despatch/redis/redis-address'
import { scannerUrl } from '@despatch/virus-scanner/scanner-address'
import { z } from 'zod'

const text = z.string()
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const postgresUrl = /^postgres(ql)?:\/\/./
const queueUrl = /^(rediss?|postgres(ql)?):\/\/./
const httpUrl = /^https?:\/\/./
/** Plain http is for tests and trials, so it may only reach this machine. */
export const secureUrl = /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$))/
/** The longest lock: see `sign-in-gate.ts`. */
const lockMsMax = 15 * 60 * 1000

export const databaseSettings = {
  DATABASE_URL: text
    .regex(postgresUrl, 'must start with postgres:// or postgresql://')
    .superRefine(refuseAddressFault)
    .describe(
      'the PostgreSQL database that all services share; with auth=aws-iam, a token of AWS IAM is the password',
    ),
}

/** If absent, the queues are in the database. The service decides that, because it knows DATABASE_URL. */
export const queueSettings = {
  QUEUE_URL: text
    .regex(queueUrl, 'must start with redis://, rediss://, postgres:// or postgresql://')
    .superRefine(refuseAddressFault)
    .optional()
    .describe(
      'store of the queues and usage counts; without it, the database; cluster=true: a Redis Cluster; sentinel: the name under which the sentinels of this address watch it',
    ),
}

export const objectStoreSettings = {
  S3_ENDPOINT: text
    .regex(httpUrl, 'must start with http:// or https://')
    .describe('address of the S3 object store for this process'),
  S3_PUBLIC_ENDPOINT: text
    .regex(httpUrl, 'must start with http:// or https://')
    .optional()
    .describe('address of the object store in upload and document links; without it, S3_ENDPOINT'),
  S3_REGION: text.default('eu-west-2').describe('region of the bucket'),
  S3_BUCKET: text.describe('bucket that holds uploads, pinned files and documents'),
  S3_ACCESS_KEY_ID: text
    .optional()
    .describe(
      'access key of the object store; without it, the credentials that the AWS SDK finds: of the AWS_ variables, a profile, a web identity, the container or the instance',
    ),
  S3_SECRET_ACCESS_KEY: text
    .optional()
    .describe('secret of the access key; required with S3_ACCESS_KEY_ID, and only then'),
  S3_FORCE_PATH_STYLE: z
    .enum(['true', 'false'], 'must be true or false')
    .default('true')
    .transform((value) => value === 'true')
    .describe(
      'true: the bucket is in the path of an address; false: it is in the host name (virtual-hosted style)',
    ),
  S3_KMS_KEY_ID: text
    .optional()
    .describe(
      'key of AWS KMS with which the object store encrypts what Despatch writes; uploads are encrypted as the bucket says',
    ),
}

/** The collector of OpenTelemetry, with OpenTelemetry's names of the settings. */
const collectorSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: text
    .regex(httpUrl, 'must start with http:// or https://')
    .optional()
    .describe(
      'collector that receives traces and metrics by OTLP over HTTP; without it, no traces are sent',
    ),
  OTEL_EXPORTER_OTLP_HEADERS: text
    .regex(/^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$/, 'must be name=value pairs, separated by commas')
    .refine(isUrlEncoded, 'must be URL-encoded')
    .optional()
    .describe(
      'headers that the collector requires, such as a key: name=value pairs, URL-encoded, separated by commas',
    ),
}

/** OpenTelemetry metrics, besides those at /metrics. */
const metricsExportSettings = {
  ...collectorSettings,
  OTEL_METRICS_EXPORTER: z
    .enum(['otlp', 'none'], 'must be otlp or none')
    .optional()
    .describe(
      'otlp: metrics are sent too, by default to http://localhost:4318; none: they are not',
    ),
  OTEL_METRIC_EXPORT_INTERVAL: wholeNumber({ min: 1_000, max: 3_600_000 })
    .optional()
    .describe(
      'time between two readings of the metrics that are sent, in milliseconds; without it, 60000',
    ),
}

export const listenSettings = {
  HOST: text
    // A server listens on one address, and the name may stand for two.
    .transform((host) => (host === 'localhost' ? '127.0.0.1' : host))
    .default('127.0.0.1')
    .describe('address to listen on; in a container, 0.0.0.0; localhost is 127.0.0.1, without ::1'),
  PORT: wholeNumber({ min: 0, max: 65_535 }).describe('port to listen on; 0: any free port'),
  DESPATCH_SOURCE_REQUESTS_PER_SECOND: wholeNumber({ min: 1, max: 100_000 })
    .default(50)
    .describe(
      'requests per second from one address to routes that require no JWT; for routes that take passwords, counted by all processes together, with twice as many in addition in each minute; for other routes, counted by each process, with ten times as many at once',
    ),
  DESPATCH_CONNECTIONS_MAX: wholeNumber({ min: 1, max: 1_000_000 })
    .default(4_000)
    .describe(
      'connections that a process has open; above that, a new one replaces the one that has been idle longest; must be below the limit of open files (ulimit -n)',
    ),
  DESPATCH_KEEP_ALIVE_MS: wholeNumber({ min: 1_000, max: 3_600_000 })
    .default(72_000)
    .describe(
      'how long an idle connection stays open, in milliseconds; must exceed the idle timeout of a load balancer in front',
    ),
  DESPATCH_METRICS_TOKEN: text
    .regex(
      /^[\w.~+/=-]{16,}$/,
      'must be 16 or more letters, digits and characters of ._~+/=-: openssl rand -hex 32',
    )
    .optional()
    .describe('bearer token that /metrics requires; without it, /metrics requires none'),
  ...metricsExportSettings,
}

/**
 * For services behind a gateway. A process that callers may reach directly must not read it, because any caller can send
 * the header.
 */
export const proxySettings = {
  DESPATCH_TRUSTED_PROXIES: wholeNumber({ min: 0, max: 10 })
    .default(0)
    .describe(
      'number of proxies in front that each append their caller to X-Forwarded-For; 0: the header is ignored',
    ),
}

/** For services that receive requests: a load balancer must notice that a process is about to stop. */
export const stopSettings = {
  DESPATCH_STOP_DELAY_MS: wholeNumber({ min: 0, max: 300_000 })
    .default(5_000)
    .describe(
      'how long the process still serves requests after SIGTERM while /health/ready returns 503; must exceed the detection time of the load balancer',
    ),
}

/** For services that check and draw letters while their caller waits. */
export const checkSettings = {
  DESPATCH_CHECK_TIMEOUT_MS: wholeNumber({ min: 100, max: 50_000 })
    .default(10_000)
    .describe(
      'how long a dry run or a proof may take, including the wait for a thread, in milliseconds; then it gets 503',
    ),
}

/** For services that check the files of consumers. They share the counts. */
export const checkBudgetSettings = {
  DESPATCH_CHECK_SECONDS_PER_HOUR: wholeNumber({ min: 1, max: 1_000_000 })
    .default(1_800)
    .describe(
      'processor time that the slow checks of one consumer may take in an hour (UTC), in all processes together, in seconds; the first quarter of a second of each check is free; beyond the limit, dry runs and proofs get 429 and letters with files wait for the next hour',
    ),
}

const mebibyte = 1024 * 1024

/** Which files are accepted. Intake and the pipeline must agree. */
export const fileSettings = {
  DESPATCH_UPLOAD_BYTES_MAX: wholeNumber({ min: 1, max: 1024 * mebibyte })
    .default(10 * mebibyte)
    .describe('largest file that is accepted, in bytes'),
  CLAMAV_URL: text
    .regex(scannerUrl, 'must be tcp://host:port or unix:///path')
    .optional()
    .describe(
      'address of the ClamAV daemon that scans files: tcp://host:port or unix:///path; without it, files are not scanned',
    ),
}

/** The load that a service accepts at once. Further requests get 503 with Retry-After before their body is read. */
export const admissionSettings = {
  DESPATCH_REQUESTS_IN_FLIGHT_MAX: wholeNumber({ min: 1, max: 100_000 })
    .default(512)
    .describe(
      'requests that a process handles at once; further requests get 503, first those of the consumer with the most in flight',
    ),
}

/** Where callbacks may go. The check of a target and the call to it use the same ranges. */
export const callbackTargetSettings = {
  DESPATCH_CALLBACK_ALLOW: addressRanges()
    .default([])
    .describe(
      'address ranges that callbacks may go to although they are not public, such as 10.0.0.0/8,::1/128; with :port only to ' +
        'that port; a metadata service of a cloud only if it is named exactly, such as 169.254.169.254/32',
    ),
}

/** How a service applies usage plans to its callers. */
export const usageSettings = {
  ...queueSettings,
  DESPATCH_LIMITS_WHEN_STORE_DOWN: z
    .enum(['pass', 'refuse'], 'must be pass or refuse')
    .default('pass')
    .describe(
      'while the shared counts are unreachable: pass (each process applies the limits alone) or refuse (503)',
    ),
  DESPATCH_OVERALL_REQUESTS_PER_SECOND: wholeNumber({ min: 1, max: 1_000_000 })
    .optional()
    .describe('requests per second that each service accepts from all callers together'),
}

/** How a service limits password guessing. All services that accept passwords share the counts. */
export const signInSettings = {
  DESPATCH_LOCKOUT_USER_ATTEMPTS: wholeNumber({ min: 1, max: 1_000 })
    .default(5)
    .describe(
      'failed attempts from one source address after which a user name is locked there for the first delay',
    ),
  DESPATCH_LOCKOUT_ALL_SOURCES_ATTEMPTS: wholeNumber({ min: 1, max: 1_000_000 })
    .default(100)
    .describe(
      'failed attempts from all source addresses after which a user name is locked, except at those that it signs in from',
    ),
  DESPATCH_LOCKOUT_SOURCE_ATTEMPTS: wholeNumber({ min: 1, max: 1_000_000 })
    .default(300)
    .describe(
      'failed attempts from one source address after which it is locked for user names that failed there, except those that sign in from it',
    ),
  DESPATCH_LOCKOUT_FIRST_DELAY_MS: wholeNumber({ min: 0, max: lockMsMax })
    .default(1_000)
    .describe('first delay of a lock, in milliseconds; each further failed attempt doubles it'),
}

/** How operators sign in to the console. */
export const operatorSignInSettings = {
  DESPATCH_OIDC_ISSUER: text
    .regex(secureUrl, 'must start with https://, or with http:// at localhost')
    .refine(URL.canParse, 'must be an address')
    .refine((issuer) => !isOfEveryTenant(issuer), 'must name one tenant of Entra ID')
    .optional()
    .describe(
      'issuer of the OpenID provider by which operators sign in to the console; without it, they sign in with a password',
    ),
  DESPATCH_OIDC_LOCAL_ACCOUNTS: trueOrFalse()
    .default(true)
    .describe(
      'true: operators may also sign in to the console with a user name and password; false: only by the OpenID provider, if there is one, and sessions that a password began are over',
    ),
}

/** Returns whether operators may sign in to the console with a user name and password. */
export function allowsLocalAccounts(config: {
  DESPATCH_OIDC_ISSUER?: string | undefined
  DESPATCH_OIDC_LOCAL_ACCOUNTS: boolean
}): boolean {
  return config.DESPATCH_OIDC_ISSUER === undefined || config.DESPATCH_OIDC_LOCAL_ACCOUNTS
}

/** Whether this is the test environment, where predefined numbers have predefined outcomes. */
export const environmentSettings = {
  DESPATCH_ENVIRONMENT: z
    .enum(['production', 'uat'], 'must be production or uat')
    .default('production')
    .describe(
      'uat: a test environment in which predefined numbers and recipients have predefined outcomes',
    ),
}

export const guidesSettings = {
  DESPATCH_GUIDES_URL: text
    .regex(httpUrl, 'must start with http:// or https://')
    .optional()
    .describe(
      'address of the site that `npm run site` makes; the reference at /docs links its guides, and names their files without it',
    ),
}

/** How long the audit of enquiries is kept. Only a migration may set it. */
export const enquiryAuditSettings = {
  DESPATCH_ENQUIRY_AUDIT_DAYS: wholeNumber({ min: 1, max: 36_500 })
    .optional()
    .describe(
      'days that the audit of enquiries is kept, 730 at first; the migration writes it into the database, where no service can change it. Without it, the database keeps what it has',
    ),
}

export const loggingSettings = {
  LOG_LEVEL: z
    .enum(logLevels, `must be one of ${logLevels.join(', ')}`)
    .default('info')
    .describe('minimum level that is logged'),
}

/**
 * OpenTelemetry traces, with OpenTelemetry's names of the settings. Nothing is traced unless the endpoint or the
 * exporter enables it.
 */
export const tracingSettings = {
  ...collectorSettings,
  OTEL_TRACES_EXPORTER: z
    .enum(['otlp', 'none'], 'must be otlp or none')
    .optional()
    .describe('otlp: traces are sent, by default to http://localhost:4318; none: they are not'),
  OTEL_TRACES_SAMPLER_ARG: text
    .regex(/^(0|1|0?\.\d{1,9}|1\.0+)$/, 'must be a number from 0 to 1')
    .transform(Number)
    .optional()
    .describe(
      'fraction of requests, and of traces that begin here, to record, whatever the caller requests; without it, all',
    ),
}

function refuseAddressFault(address: string, context: z.RefinementCtx): void {
  const message = findIamFault(address) ?? findRedisFault(address)
  if (message) context.addIssue({ code: 'custom', message })
}

function isUrlEncoded(value: string): boolean {
  try {
    decodeURIComponent(value)
    return true
  } catch {
    return false
  }
}

/** Returns the schema of a setting that is a whole number between two bounds, both inclusive. */
export function wholeNumber({ min, max }: { min: number; max: number }) {
  const message = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
}

/**
 * Returns whether Entra ID signs in people of every tenant by this issuer. The admins of any tenant could then give
 * their people the values that grant roles here.
 */
function isOfEveryTenant(issuer: string): boolean {
  if (!URL.canParse(issuer)) return false
  const { hostname, pathname } = new URL(issuer)
  return (
    hostname === 'login.microsoftonline.com' &&
    /^\/+(common|organizations|consumers)(\/|$)/i.test(pathname)
  )
}

/** Returns the schema of a setting that is `true` or `false`. */
export function trueOrFalse() {
  return z.enum(['true', 'false'], 'must be true or false').transform((value) => value === 'true')
}

function addressRanges() {
  const message = 'must be address ranges, separated by commas, such as 10.0.0.0/8,::1/128:8443'
  return text.transform((given, context) => {
    const ranges = given.split(',').map((range) => parseRange(range.trim()))
    if (ranges.includes(undefined)) context.addIssue({ code: 'custom', message })
    return ranges.filter((range): range is AllowedRange => range !== undefined)
  })
}
