import { expect, test } from 'vitest'
import { programs } from './tree.ts'

/**
 * The places of product code that read the clock of their machine, and why they may. Anything that is kept or shared
 * between processes is decided by the database's clock (`now()` in SQL). `clock_skew_seconds` watches the clocks of all
 * services that have a database. `performance.now()` is no clock: it measures how long something of this process takes.
 */
const places: Readonly<Record<string, string>> = {
  'scripts/': 'tools of developers',
  'infra/': 'tools that people run, which show times and wait for processes',
  'docs/examples/': 'run at the sender or the provider',
  'packages/client/': 'runs at the sender: tokens, Retry-After and signatures by its own clock',
  'packages/embedded/': 'waits for its server, and checks the times of signed links as S3 does',
  'packages/telemetry/': 'times of log lines and spans, and the comparison of the clock itself',
  'packages/access/src/': 'tokens of hours, and credentials that expire on a day',
  'packages/object-store/src/object-store.ts': 'how long credentials and links are valid',
  'packages/queue/src/repeat.ts': 'when this process last made a pass, for its health',
  'services/administration/src/oidc/provider.ts': 'when a person signed in, as the provider tells',
  'services/callbacks/src/outbound/client-certificates.ts':
    'warns of a certificate that has expired',
  'services/callbacks/src/delivery/delivery-loop.ts':
    'how long to rest, and its last pass for its health',
  'services/callbacks/src/outbound/outbound-attempt.ts':
    'Retry-After as a date, if the answer has no Date',
  'services/callbacks/src/service.ts': 'the age of the last pass, for its health',
  'services/ops-console/public/': 'shows ages in a browser',
  'services/ops-console/src/': 'shows figures as of now, and decides nothing',
  'services/pipeline/src/watch/loops.ts': 'the age of the last pass, for its health',
  'services/pipeline/src/print-run/gather.ts': 'when a span began',
  'services/pipeline/src/print-run/release.ts': 'when a span began',
  'services/pipeline/src/work/upload-walk.ts': 'a worker takes no work while its clock is off',
  'services/pipeline/src/service.ts': 'a worker takes no work while its clock is off',
  'services/provider-simulator/': 'a simulated factory, which has a clock of its own',
  'services/thirdparty-access/src/mail/mail.ts': 'names files of a test mailbox',
  // tokens and days of credentials, the day that a letter may name, and the time that a person is shown
  'services/administration/src/service.ts': 'tokens, days, times that are shown',
  'services/driver-find/src/service.ts': 'tokens and days of credentials',
  'services/full-driver-enquiry/src/service.ts': 'tokens and days of credentials',
  'services/print-request/src/service.ts': 'days that a letter may name, tokens',
  'services/thirdparty-access/src/service.ts': 'tokens and days of credentials',
  'services/vehicle-enquiry/src/service.ts': 'tokens and days of credentials',
}

const clockRead =
  /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)|performance\.timeOrigin|\bTemporal\.Now\b/

const readers = programs
  .filter(({ path }) => !path.startsWith('test/'))
  .filter(({ text }) => clockRead.test(withoutComments(text)))
  .map(({ path }) => path)

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '')
}

const isWithin = (path: string, place: string) =>
  place.endsWith('/') ? path.startsWith(place) : path === place

test("only listed places read the machine's clock", () => {
  const unlisted = readers.filter(
    (path) => !Object.keys(places).some((place) => isWithin(path, place)),
  )

  expect(unlisted).toEqual([])
})

test("every listed place reads the machine's clock", () => {
  const unused = Object.keys(places).filter(
    (place) => !readers.some((path) => isWithin(path, place)),
  )

  expect(unused).toEqual([])
})

test.each(['Date.now()', 'new Date()', '() => new Date( )', 'Date.now'])(
  'recognises %s as reading the clock',
  (text) => {
    expect(clockRead.test(text)).toBe(true)
  },
)

test.each(['new Date(at)', 'performance.now()', 'now()'])(
  'does not recognise %s as reading the clock',
  (text) => {
    expect(clockRead.test(text)).toBe(false)
  },
)
