import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aRunningDespatch, asUser } from './a-running-despatch.ts'

const running = await shared(aRunningDespatch())
const { say, documentOf } = running

describe('consumers', () => {
  test('are made with credentials that work at once, shown this once', async () => {
    const text = await say(
      'consumers create acme --name "Acme Ltd" --email post@acme.example',
      '--service print-request --service driver-find --plan standard',
    )

    const field = (name: string) => new RegExp(`^  ${name} +(\\S+)$`, 'm').exec(text)?.[1] ?? ''
    expect(text).toMatch(/^Consumer acme was created\.$/m)
    expect(text).toMatch(/^Shown only once and not stored/m)
    expect(field('address')).toBe(running.baseUrl)
    const signedIn = await fetch(`${field('address')}/thirdparty-access/v1/authenticate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ userName: field('user name'), password: field('password') }),
    })
    expect(signedIn.status).toBe(200)
    const shown = await say('consumers show acme')
    expect(shown).toContain('post@acme.example')
    expect(shown).toContain('print-request, driver-find')
    expect(shown).toContain(`${field('API key').slice(0, 8)}…`)
    expect(shown).not.toContain(field('API key'))
    expect(shown).toContain('No contract.')
  })

  test('are made by scripts too, which get one JSON document', async () => {
    expect(
      await documentOf('consumers create north-1 --name North --role provider --provider north'),
    ).toMatchObject({
      userName: 'north-1',
      roles: ['provider'],
      providerId: 'north',
      password: expect.any(String),
      apiKey: expect.any(String),
    })
  })

  test('are listed as a table, disabled and enabled', async () => {
    await say('consumers create leaver --name Leaver')

    expect(await say('consumers disable leaver')).toBe('Consumer leaver is disabled.\n')
    const lines = (await say('consumers list')).split('\n')
    expect(await say('consumers enable leaver')).toBe('Consumer leaver is enabled.\n')

    expect(lines[0]).toMatch(
      /^USER NAME +NAME +ROLES +SERVICES +PLAN +KEY UNTIL +PASSWORD UNTIL +STATE$/,
    )
    expect(lines).toContainEqual(expect.stringMatching(/^chief +chief +operator admin .* enabled$/))
    expect(lines).toContainEqual(expect.stringMatching(/^leaver .* disabled$/))
    expect(await say('consumers list')).toMatch(/^leaver .* enabled$/m)
  })

  test('lose their tokens', async () => {
    await say('consumers create signs-in-again --name "Signs in again"')

    expect(await say('consumers end-tokens signs-in-again --yes')).toBe(
      'The tokens of consumer signs-in-again are ended.\n',
    )
    const { auditEvents } = await documentOf('audit list signs-in-again')
    expect(auditEvents[0]).toMatchObject({ action: 'tokens.ended', actorUserName: 'chief' })
  })

  test('are limited to networks, until the limit is lifted', async () => {
    await say('consumers create limited --name Limited')

    const limited = await say('consumers limit limited 203.0.113.0/24 2001:db8::/32')
    const shown = await say('consumers show limited')
    const lifted = await say('consumers limit limited --none')

    expect(limited).toBe('Consumer limited may call from 203.0.113.0/24, 2001:db8::/32.\n')
    expect(shown).toMatch(/^ +networks +203\.0\.113\.0\/24, 2001:db8::\/32$/m)
    expect(lifted).toBe('Consumer limited may call from everywhere.\n')
  })

  test('get other rights', async () => {
    await say('consumers create grows --name Grows')

    const plan = await say('consumers set-plan grows standard')
    const services = await say('consumers set-services grows driver-find vehicle-enquiry')
    const unnamed = await running.despatch('consumers set-services grows')
    const kept = await documentOf('consumers show grows')
    const none = await say('consumers set-services grows --none')
    const roles = await say('consumers set-roles grows provider --provider north')

    expect([plan, services, none, roles]).toEqual([
      'Consumer grows is on the usage plan standard.\n',
      'Consumer grows may use driver-find, vehicle-enquiry.\n',
      'Consumer grows may use no service.\n',
      'Consumer grows has the roles provider.\n',
    ])
    const stderr = 'despatch: name either services or --none\n'
    expect(unnamed).toEqual({ code: 2, stdout: '', stderr })
    expect(kept).toHaveProperty('services', ['driver-find', 'vehicle-enquiry'])
  })
})

describe('contracts', () => {
  test('are added, listed and retired', async () => {
    await say('consumers create agrees --name Agrees')

    const added = await say('contracts add agrees LETTER LETTER')
    const other = await documentOf(
      'contracts add agrees NOTIFY NOTIFY/2 --as-supplied pdfContent --simplex --mono',
      '--pages-max 10 --no-handling-instruction --callback DESPATCHED',
    )
    const retired = await say('contracts retire agrees LETTER LETTER')
    const listed = await say('contracts list agrees')

    expect(added).toMatch(
      /^LETTER +LETTER +letter +duplex colour +≤ 100 +standard-2026-11, refuses unreadable files +DESPATCHED REJECTED +in use$/m,
    )
    expect(other).toEqual({
      jobType: 'NOTIFY',
      templateReference: 'NOTIFY/2',
      production: 'as-supplied',
      suppliedFileKey: 'pdfContent',
      printsHandlingInstruction: false,
      plex: 'simplex',
      colour: false,
      pagesMax: 10,
      callbackStatuses: ['DESPATCHED'],
      ruleSet: 'standard-2026-11',
      addressPlacement: 'own-page',
      marks: true,
      stationery: 'A4-PLAIN',
      templateData: false,
      callbackReturns: false,
      callbackOrder: 'print-job',
      callbackConcurrency: 8,
      holdForApproval: false,
      strict: false,
      refusedRules: [],
      unknownMembers: 'report',
      unreadableFiles: 'refuse',
      lettersWithoutFile: 'report',
    })
    expect(retired).toBe('Contract LETTER LETTER of agrees is retired.\n')
    expect(listed).toMatch(/^LETTER .* retired$/m)
    expect(listed).toMatch(
      /^NOTIFY +NOTIFY\/2 +as supplied in pdfContent +simplex mono .* in use$/m,
    )
  })

  test('are not overwritten silently: the difference is shown, and --replace replaces it', async () => {
    await say('consumers create replaces --name Replaces')
    const add = 'contracts add replaces LETTER LETTER'
    const otherTerms = `${add} --mono --retention-days 30 --callback REJECTED`
    await say(add)

    const equal = await say(add)
    const other = await running.despatch(otherTerms)
    const kept = await say('contracts list replaces')
    const replaced = await say(otherTerms, '--replace')
    await say('contracts retire replaces LETTER LETTER')
    const retired = await running.despatch(otherTerms)

    expect(equal).toMatch(/ duplex colour .* in use$/m)
    expect([other.code, other.stderr]).toEqual([
      2,
      'despatch: nothing was changed: give --replace to replace these terms\n',
    ])
    expect(other.stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^TERM +NOW +GIVEN$/),
      expect.stringMatching(/^colour +true +false$/),
      expect.stringMatching(/^callbackStatuses +DESPATCHED REJECTED +REJECTED$/),
      expect.stringMatching(/^retentionDays +- +30$/),
    ])
    expect(kept).toMatch(/ duplex colour .* in use$/m)
    expect(replaced).toMatch(/^colour +true +false$/m)
    expect(replaced).toMatch(/ duplex mono .* kept for 30 days, in use$/m)
    expect(retired.code).toBe(2)
    expect(retired.stdout).toMatch(/^retiredAt +\S+ +-$/m)
  })

  test('have terms of preflight, of printing and of callbacks', async () => {
    await say('consumers create terms --name Terms')
    const add = (template: string, ...terms: string[]) =>
      say(`contracts add terms LETTER ${template}`, ...terms)
    const refuse = async (terms: string) =>
      (await running.despatch(`contracts add terms LETTER STRICT ${terms}`)).stderr

    const window = '--no-marks --rule-set window-letter-2026-11 --address-placement first-page'
    expect(await add('WINDOW', window)).toMatch(
      / duplex colour address on first page no marks +≤ 100 +window-letter-2026-11, refuses unreadable files /,
    )
    const chosen = '--refuse-rule P504 --refuse-rule P503 --unreadable-files 2999-02-01'
    expect(await add('CHOSEN', chosen)).toContain(
      ' standard-2026-11, refuses P503 P504, unreadable files from 2999-02-01 ',
    )
    expect(await add('STRICT', '--strict --letters-without-file 2999-03-01')).toContain(
      ' standard-2026-11, strict, refuses unreadable files, letters without a file from 2999-03-01 ',
    )
    const lax = await running.despatch('contracts add terms LETTER STRICT')
    expect([lax.code, lax.stdout]).toEqual([2, expect.stringMatching(/^strict +true +false$/m)])
    expect(await refuse('--rule-set window-letter-1900-01')).toContain(
      'ruleSet must be one of standard-2026-11, window-letter-2026-11',
    )
    expect(await add('CARD', '--stationery CARD-1 --template-data --callback-returns')).toMatch(
      / duplex colour on CARD-1 from a template +≤ 100 .* DESPATCHED REJECTED returns +in use$/m,
    )
    expect(await add('ORDERED', '--callback-order strict --callback DESPATCHED')).toMatch(
      / DESPATCHED in strict order +in use$/m,
    )
  })
})

test('plans are set service by service', async () => {
  const bulk = 'plans set bulk --service'
  await say(bulk, 'print-request --requests-per-second 500 --burst 1000')
  await say(bulk, 'driver-find --requests-per-second 5 --requests-per-day 900')
  await say(bulk, 'print-request --requests-per-second 50')
  await say(bulk, 'driver-find --requests-per-second 6')
  const kept = await say('plans list')
  await say(bulk, 'driver-find --requests-per-second 5 --no-requests-per-day')

  const listed = (await say('plans list')).split('\n').filter((line) => line.startsWith('bulk'))
  expect(listed).toEqual([
    expect.stringMatching(/^bulk +driver-find +5 +0 +- +-$/),
    expect.stringMatching(/^bulk +print-request +50 +1000 +- +-$/),
  ])
  expect(kept).toMatch(/^bulk +driver-find +6 +0 +900 +-$/m)
})

test('changes are listed with who made them, page by page, of all consumers or of one', async () => {
  await say('consumers create watched --name Watched')
  await say('consumers disable watched')

  const ofOne = await documentOf('audit list watched --by chief --from 2020-01-01')
  const ofNobody = await documentOf('audit list watched --by watched')
  const first = await documentOf('audit list --limit 1')
  const second = await say(`audit list --limit 1 --cursor ${first.nextCursor}`)

  expect(ofOne.auditEvents).toMatchObject([
    { actorUserName: 'chief', action: 'consumer.disabled', userName: 'watched' },
    { actorUserName: 'chief', action: 'consumer.created', userName: 'watched' },
  ])
  expect(ofNobody.auditEvents).toEqual([])
  expect(first.auditEvents).toMatchObject([{ action: 'consumer.disabled' }])
  expect(second).toMatch(/ chief +consumer\.created +watched /)
  expect(second).toMatch(/^Next page: --cursor \d+$/m)
})

test('the signing key is rotated, and commands continue', async () => {
  const { kid } = await documentOf('keys rotate')

  expect(await say('keys rotate')).toMatch(
    /^JWTs are signed with the key [\w-]{43} from now on\.$/m,
  )
  expect(kid).toMatch(/^[\w-]{43}$/)
  await say('plans list')
})

describe('ends with 1, and says why on standard error alone', () => {
  const wrong = { ...running.operator, password: 'none' }
  const mend =
    'The password in DESPATCH_PASSWORD is wrong, or was replaced elsewhere. Correct it, or an admin makes another one: npx despatch consumers reset-password chief'
  const elsewhere = '--ops-url http://127.0.0.1:1'

  test.each<[what: string, line: string, said: string | RegExp, user?: typeof running.operator]>([
    [
      'a user name that is taken, as JSON',
      'consumers create chief --name Chief --json',
      '{"detail":"Consumer chief already exists (409)","exitCode":1}\n',
    ],
    ['an unknown consumer', 'consumers show nobody', 'despatch: there is no consumer nobody\n'],
    [
      'every fault of a request',
      'consumers create "x y" --name X --plan No',
      'despatch: userName must match "^[!-~]+$"\n          usagePlan must match "^[a-z0-9-]+$" (400)\n',
    ],
    [
      'its own access',
      'consumers disable chief',
      'despatch: Ask another operator to remove your access (409)\n',
    ],
    [
      'a consumer who is no operator',
      'plans list',
      'despatch: This operation requires the role operator (403)\n',
      running.consumer,
    ],
    [
      'a wrong password',
      'plans list',
      `despatch: User name or password incorrect, or too many incorrect attempts (401). ${mend}\n`,
      wrong,
    ],
    [
      'no server at the address',
      `plans list ${elsewhere}`,
      /^despatch: http:\/\/127\.0\.0\.1:1 does not respond \(.+\)\. Is Despatch running there\?\n$/,
    ],
    [
      'another server at the address',
      `plans list --ops-url ${running.baseUrl}`,
      'despatch: The address does not exist (404)\n',
    ],
  ])('%s', async (_, line, said, user) => {
    const stderr = typeof said === 'string' ? said : expect.stringMatching(said)
    expect(await running.despatch(line, user && asUser(user))).toEqual({
      code: 1,
      stdout: '',
      stderr,
    })
  })
})

const nowhere = { DESPATCH_DATA_DIR: '/nowhere/at/all' }

describe('exits with 2 on wrong usage, and prompts for nothing without a terminal', () => {
  test.each<[what: string, line: string, said: RegExp, variables?: Record<string, string>]>([
    ['no command', '', /Usage: despatch/],
    ['an unknown action', 'consumers lst', /unknown command 'lst'/],
    ['a missing argument', 'consumers show', /missing required argument 'userName'/],
    ['text as a number', 'contracts add a b c --pages-max many', /It must be a whole number/],
    ['no user name', 'consumers create', /User name is missing: give it as an argument/],
    ['no name', 'consumers create a', /Name of the organisation is missing: give --name/],
    [
      'an address',
      'plans list --base-url here',
      /--base-url must be an http or https .*, not here/,
    ],
    [
      'kept credentials for another place',
      'plans list --ops-url https://elsewhere.example',
      /User name of an operator is missing: give DESPATCH_USER_NAME/,
    ],
    ['a day that does not exist', 'audit list --from 2026-02-29', /must be a date that exists/],
    ['two of one', 'audit list --by a --actor b', /cannot be used with option '--by <userName>'/],
    [
      'nothing known of any Despatch',
      'plans list',
      /^despatch: there is no \/nowhere\/at\/all\/credentials\.json\. Start Despatch first/,
      nowhere,
    ],
    [
      'credentials that are given in part',
      'plans list',
      /^despatch: Password is missing: give DESPATCH_PASSWORD\n$/,
      { DESPATCH_USER_NAME: 'chief' },
    ],
  ])('%s', async (_, line, said, variables) => {
    const { code, stdout, stderr } = await running.despatch(line, variables)

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(said)
  })
})

test('needs no data directory with addresses and credentials of its own', async () => {
  const { code, stdout } = await running.despatch(
    `plans list --base-url ${running.baseUrl} --ops-url ${running.opsUrl}/`,
    { ...nowhere, ...asUser(running.operator) },
  )

  expect([code, stdout]).toEqual([0, expect.stringContaining('standard')])
})
