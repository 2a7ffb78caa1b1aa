import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aRunningDespatch } from './a-running-despatch.ts'

const running = await shared(aRunningDespatch())
const { say } = running

describe('consumers', () => {
  test('are made with credentials that work at once, shown this once', async () => {
    const text = await say(
      ...['consumers', 'create', 'acme', '--name', 'Acme Ltd', '--email', 'post@acme.example'],
      ...['--service', 'print-request', '--service', 'driver-find', '--plan', 'standard'],
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
    const shown = await say('consumers', 'show', 'acme')
    expect(shown).toContain('post@acme.example')
    expect(shown).toContain('print-request, driver-find')
    expect(shown).toContain(`${field('API key').slice(0, 8)}…`)
    expect(shown).not.toContain(field('API key'))
    expect(shown).toContain('No contract.')
  })

  test('are made by scripts too, which get one JSON document', async () => {
    const created = await running.documentOf(
      ...['consumers', 'create', 'north-1', '--name', 'North', '--role', 'provider'],
      ...['--provider', 'north'],
    )

    expect(created).toMatchObject({
      userName: 'north-1',
      roles: ['provider'],
      providerId: 'north',
      password: expect.any(String),
      apiKey: expect.any(String),
    })
    const { consumers } = await running.documentOf('consumers', 'list')
    expect(consumers.map(({ userName }: { userName: string }) => userName)).toContain('north-1')
  })

  test('are listed as a table', async () => {
    const lines = (await say('consumers', 'list')).split('\n')

    expect(lines[0]).toMatch(
      /^USER NAME +NAME +ROLES +SERVICES +PLAN +KEY UNTIL +PASSWORD UNTIL +STATE$/,
    )
    expect(lines).toContainEqual(expect.stringMatching(/^chief +chief +operator admin .* enabled$/))
  })

  test('are disabled and enabled', async () => {
    await say('consumers', 'create', 'leaver', '--name', 'Leaver')

    expect(await say('consumers', 'disable', 'leaver')).toBe('Consumer leaver is disabled.\n')
    expect(await say('consumers', 'list')).toMatch(/^leaver .* disabled$/m)
    expect(await say('consumers', 'enable', 'leaver')).toBe('Consumer leaver is enabled.\n')
    expect(await say('consumers', 'list')).toMatch(/^leaver .* enabled$/m)
  })

  test('get another API key and another password', async () => {
    const before = await running.documentOf('consumers', 'create', 'rotates', '--name', 'Rotates')

    const { apiKey } = await running.documentOf('consumers', 'rotate-key', 'rotates', '--yes')
    const { password } = await running.documentOf('consumers', 'reset-password', 'rotates', '--yes')
    const key = await say('consumers', 'rotate-key', 'rotates', '--yes')

    expect(apiKey).not.toBe(before.apiKey)
    expect(password).not.toBe(before.password)
    expect(key).toMatch(/^ {2}API key +[\w-]{43}$/m)
    expect(await say('consumers', 'reset-password', 'rotates', '--yes')).toMatch(
      /^ {2}password +\S+$/m,
    )
  })

  test('lose their tokens', async () => {
    await say('consumers', 'create', 'signs-in-again', '--name', 'Signs in again')

    expect(await say('consumers', 'end-tokens', 'signs-in-again', '--yes')).toBe(
      'The tokens of consumer signs-in-again are ended.\n',
    )
    const { auditEvents } = await running.documentOf('audit', 'list', 'signs-in-again')
    expect(auditEvents[0]).toMatchObject({ action: 'tokens.ended', actorUserName: 'chief' })
  })

  test('show the limits of their plans', async () => {
    await say('consumers', 'create', 'uses', '--name', 'Uses')

    const text = await say('consumers', 'usage', 'uses')
    const usage = await running.documentOf('consumers', 'usage', 'uses')

    expect(text).toMatch(/^Plan standard, counted at 20\S+Z\.$/m)
    expect(text).toMatch(/^print-request +yes +100 +0 +200 +any +0 +0 +- +any +- +- +-$/m)
    expect(usage).toMatchObject({ usagePlan: 'standard', services: { length: 4 } })
  })

  test('are limited to networks, until the limit is lifted', async () => {
    await say('consumers', 'create', 'limited', '--name', 'Limited')

    const limited = await say('consumers', 'limit', 'limited', '203.0.113.0/24', '2001:db8::/32')
    const shown = await say('consumers', 'show', 'limited')
    const lifted = await say('consumers', 'limit', 'limited', '--none')

    expect(limited).toBe('Consumer limited may call from 203.0.113.0/24, 2001:db8::/32.\n')
    expect(shown).toMatch(/^ +networks +203\.0\.113\.0\/24, 2001:db8::\/32$/m)
    expect(lifted).toBe('Consumer limited may call from everywhere.\n')
  })

  test('get other rights', async () => {
    await say('consumers', 'create', 'grows', '--name', 'Grows')

    const plan = await say('consumers', 'set-plan', 'grows', 'standard')
    const services = await say(
      'consumers',
      'set-services',
      'grows',
      'driver-find',
      'vehicle-enquiry',
    )
    const unnamed = await running.despatch(['consumers', 'set-services', 'grows'])
    const kept = await running.documentOf('consumers', 'show', 'grows')
    const none = await say('consumers', 'set-services', 'grows', '--none')
    const roles = await say('consumers', 'set-roles', 'grows', 'provider', '--provider', 'north')

    expect([plan, services, none, roles]).toEqual([
      'Consumer grows is on the usage plan standard.\n',
      'Consumer grows may use driver-find, vehicle-enquiry.\n',
      'Consumer grows may use no service.\n',
      'Consumer grows has the roles provider.\n',
    ])
    expect(unnamed).toEqual({
      code: 2,
      stdout: '',
      stderr: 'despatch: name either services or --none\n',
    })
    expect(kept).toHaveProperty('services', ['driver-find', 'vehicle-enquiry'])
  })
})

test('contracts are added, listed and retired', async () => {
  await say('consumers', 'create', 'agrees', '--name', 'Agrees')

  const added = await say('contracts', 'add', 'agrees', 'LETTER', 'LETTER')
  const other = await running.documentOf(
    ...[
      'contracts',
      'add',
      'agrees',
      'NOTIFY',
      'NOTIFY/2',
      '--as-supplied',
      'pdfContent',
      '--simplex',
    ],
    ...['--mono', '--pages-max', '10', '--no-handling-instruction', '--callback', 'DESPATCHED'],
  )
  const retired = await say('contracts', 'retire', 'agrees', 'LETTER', 'LETTER')
  const listed = await say('contracts', 'list', 'agrees')

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
  expect(listed).toMatch(/^NOTIFY +NOTIFY\/2 +as supplied in pdfContent +simplex mono .* in use$/m)
})

test('a contract is not overwritten silently: the difference is shown, and --replace replaces it', async () => {
  await say('consumers', 'create', 'replaces', '--name', 'Replaces')
  const add = ['contracts', 'add', 'replaces', 'LETTER', 'LETTER']
  const otherTerms = ['--mono', '--retention-days', '30', '--callback', 'REJECTED']
  await say(...add)

  const equal = await say(...add)
  const other = await running.despatch([...add, ...otherTerms])
  const kept = await say('contracts', 'list', 'replaces')
  const replaced = await say(...add, ...otherTerms, '--replace')
  await say('contracts', 'retire', 'replaces', 'LETTER', 'LETTER')
  const retired = await running.despatch([...add, ...otherTerms])

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

test('the terms of preflight are part of a contract', async () => {
  await say('consumers', 'create', 'preflights', '--name', 'Preflights')

  const added = await say(
    ...['contracts', 'add', 'preflights', 'LETTER', 'LETTER', '--no-marks'],
    ...['--rule-set', 'window-letter-2026-11', '--address-placement', 'first-page'],
  )
  const choosing = await say(
    ...['contracts', 'add', 'preflights', 'LETTER', 'CHOSEN'],
    ...['--refuse-rule', 'P504', '--refuse-rule', 'P503', '--unreadable-files', '2999-02-01'],
  )
  const strict = await say('contracts', 'add', 'preflights', 'LETTER', 'STRICT', '--strict')
  const lax = await running.despatch(['contracts', 'add', 'preflights', 'LETTER', 'STRICT'])
  const refused = await running.despatch([
    ...['contracts', 'add', 'preflights', 'LETTER', 'LETTER'],
    ...['--rule-set', 'window-letter-1900-01'],
  ])

  expect(added).toMatch(
    / duplex colour address on first page no marks +≤ 100 +window-letter-2026-11, refuses unreadable files /,
  )
  expect(choosing).toContain(
    ' standard-2026-11, refuses P503 P504, unreadable files from 2999-02-01 ',
  )
  expect(strict).toContain(' standard-2026-11, strict, refuses unreadable files ')
  expect([lax.code, lax.stdout]).toEqual([2, expect.stringMatching(/^strict +true +false$/m)])
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('ruleSet must be one of standard-2026-11, window-letter-2026-11')
})

test('the terms of printing are part of a contract', async () => {
  await say('consumers', 'create', 'prints', '--name', 'Prints')

  const added = await say(
    ...['contracts', 'add', 'prints', 'LICENCE', 'CARD', '--stationery', 'CARD-1'],
    ...['--template-data', '--callback-returns'],
  )

  expect(added).toMatch(
    / duplex colour on CARD-1 from a template +≤ 100 .* DESPATCHED REJECTED returns +in use$/m,
  )
})

test('the order of callbacks is part of a contract', async () => {
  await say('consumers', 'create', 'orders', '--name', 'Orders')
  const add = ['contracts', 'add', 'orders', 'LETTER', 'LETTER', '--callback-order']

  const added = await say(...add, 'strict', '--callback', 'DESPATCHED')
  const refused = await running.despatch([...add, 'any'])

  expect(added).toMatch(/ DESPATCHED in strict order +in use$/m)
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('Allowed choices are print-job, strict.')
})

test('plans are set service by service', async () => {
  const bulk = ['plans', 'set', 'bulk', '--service']
  await say(...bulk, 'print-request', '--requests-per-second', '500', '--burst', '1000')
  await say(...bulk, 'driver-find', '--requests-per-second', '5', '--requests-per-day', '900')
  await say(...bulk, 'print-request', '--requests-per-second', '50')
  await say(...bulk, 'driver-find', '--requests-per-second', '6')
  const kept = await say('plans', 'list')
  await say(...bulk, 'driver-find', '--requests-per-second', '5', '--no-requests-per-day')

  expect(
    (await say('plans', 'list')).split('\n').filter((line) => line.startsWith('bulk')),
  ).toEqual([
    expect.stringMatching(/^bulk +driver-find +5 +0 +- +-$/),
    expect.stringMatching(/^bulk +print-request +50 +1000 +- +-$/),
  ])
  expect(kept).toMatch(/^bulk +driver-find +6 +0 +900 +-$/m)
})

test('changes are listed with who made them, page by page, of all consumers or of one', async () => {
  await say('consumers', 'create', 'watched', '--name', 'Watched')
  await say('consumers', 'disable', 'watched')

  const ofOne = await running.documentOf('audit', 'list', 'watched')
  const first = await running.documentOf('audit', 'list', '--limit', '1')
  const second = await say('audit', 'list', '--limit', '1', '--cursor', first.nextCursor)

  expect(ofOne.auditEvents).toMatchObject([
    { actorUserName: 'chief', action: 'consumer.disabled', userName: 'watched' },
    { actorUserName: 'chief', action: 'consumer.created', userName: 'watched' },
  ])
  expect(first.auditEvents).toMatchObject([{ action: 'consumer.disabled' }])
  expect(second).toMatch(/ chief +consumer\.created +watched /)
  expect(second).toMatch(/^Next page: --cursor \d+$/m)
})

test('changes are searched for by who made them, by what was done, by what they are about and by day', async () => {
  const { consumerId } = await running.documentOf('consumers', 'create', 'looked', '--name', 'L')
  await say('consumers', 'disable', 'looked')
  const actionsOf = async (...filters: string[]) => {
    const { auditEvents } = await running.documentOf('audit', 'list', 'looked', ...filters)
    return auditEvents.map(({ action }: { action: string }) => action)
  }

  expect(await actionsOf('--by', 'chief', '--action', 'consumer.disabled')).toEqual([
    'consumer.disabled',
  ])
  expect(await actionsOf('--by', 'looked')).toEqual([])
  expect(await actionsOf('--actor', 'command-line')).toEqual([])
  expect(await actionsOf('--about', consumerId)).toEqual([])
  expect(await actionsOf('--from', '2020-01-01', '--to', '2020-01-31')).toEqual([])
  expect(await actionsOf('--from', '2020-01-01')).toEqual(['consumer.disabled', 'consumer.created'])
})

test.each([
  [['--action', 'consumer.removed'], /Allowed choices are api-key\.changed, /],
  [['--from', '2026-02-29'], /must be a date that exists/],
  [['--by', 'chief', '--actor', 'seed'], /cannot be used with option '--by <userName>'/],
])('audit list %j is wrong usage', async (options, message) => {
  expect(await running.despatch(['audit', 'list', ...options])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(message),
  })
})

test('the signing key is rotated, and commands continue', async () => {
  const { kid } = await running.documentOf('keys', 'rotate')

  expect(await say('keys', 'rotate')).toMatch(
    /^JWTs are signed with the key [\w-]{43} from now on\.$/m,
  )
  expect(kid).toMatch(/^[\w-]{43}$/)
  await say('plans', 'list')
})

describe('ends with 1, and says why on standard error alone', () => {
  test.for<[what: string, commandLine: string[], said: string]>([
    [
      'a user name that is taken, as JSON',
      ['consumers', 'create', 'chief', '--name', 'Chief', '--json'],
      '{"detail":"Consumer chief already exists (409)","exitCode":1}\n',
    ],
    [
      'an unknown consumer',
      ['consumers', 'show', 'nobody'],
      'despatch: there is no consumer nobody\n',
    ],
    [
      'every fault of a request',
      ['consumers', 'create', 'x y', '--name', 'X', '--plan', 'No'],
      [
        'despatch: userName must match "^[!-~]+$"',
        '          usagePlan must match "^[a-z0-9-]+$" (400)\n',
      ].join('\n'),
    ],
    [
      'its own access',
      ['consumers', 'disable', 'chief'],
      'despatch: Ask another operator to remove your access (409)\n',
    ],
  ])('%s', async ([, commandLine, said]) => {
    expect(await running.despatch(commandLine)).toEqual({ code: 1, stdout: '', stderr: said })
  })

  test('a consumer who is no operator', async () => {
    expect(await running.despatch(['plans', 'list'], asUser(running.consumer))).toEqual({
      code: 1,
      stdout: '',
      stderr: 'despatch: This operation requires the role operator (403)\n',
    })
  })

  test('a wrong password', async () => {
    const wrong = asUser({ ...running.operator, password: 'none' })

    expect(await running.despatch(['plans', 'list'], wrong)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'despatch: User name or password incorrect, or too many incorrect attempts (401). The password in DESPATCH_PASSWORD is wrong, or was replaced elsewhere. Correct it, or an admin makes another one: npx despatch consumers reset-password chief\n',
    })
  })

  test('no server at the address', async () => {
    const { code, stdout, stderr } = await running.despatch([
      ...['plans', 'list', '--ops-url', 'http://127.0.0.1:1'],
    ])

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^despatch: http:\/\/127\.0\.0\.1:1 does not respond \(.+\)\. Is Despatch running there\?$/m,
    )
  })

  test('another server at the address', async () => {
    const { code, stderr } = await running.despatch(['plans', 'list', '--ops-url', running.baseUrl])

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'despatch: The address does not exist (404)\n',
    })
  })
})

describe('exits with 2 on wrong usage, and prompts for nothing without a terminal', () => {
  test.for<[what: string, commandLine: string[], said: RegExp]>([
    ['no command', [], /Usage: despatch/],
    ['an unknown command', ['consumer', 'list'], /unknown command 'consumer'/],
    ['an unknown action', ['consumers', 'lst'], /unknown command 'lst'/],
    ['an unknown option', ['consumers', 'list', '--all'], /unknown option '--all'/],
    ['a missing argument', ['consumers', 'show'], /missing required argument 'userName'/],
    ['a missing option', ['plans', 'set', 'bulk'], /--service <service>' not specified/],
    [
      'text in place of a number',
      ['contracts', 'add', 'a', 'b', 'c', '--pages-max', 'many'],
      /It must be a whole number/,
    ],
    ['no user name', ['consumers', 'create'], /User name is missing: give it as an argument/],
    [
      'no name',
      ['consumers', 'create', 'acme'],
      /Name of the organisation is missing: give --name/,
    ],
    [
      'an invalid address',
      ['plans', 'list', '--base-url', 'here'],
      /--base-url must be an http or https address, not here/,
    ],
    [
      'kept credentials for another place',
      ['plans', 'list', '--ops-url', 'https://elsewhere.example'],
      /User name of an operator is missing: give DESPATCH_USER_NAME/,
    ],
  ])('%s', async ([, commandLine, said]) => {
    const { code, stdout, stderr } = await running.despatch(commandLine)

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(said)
  })

  test('nothing known of any Despatch', async () => {
    const nowhere = { DESPATCH_DATA_DIR: '/nowhere/at/all' }

    const { code, stdout, stderr } = await running.despatch(['plans', 'list'], nowhere)

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(
      /^despatch: there is no \/nowhere\/at\/all\/credentials\.json\. Start Despatch first/,
    )
  })

  test('credentials that are given in part', async () => {
    const half = { DESPATCH_USER_NAME: 'chief' }

    const { code, stderr } = await running.despatch(['plans', 'list'], half)

    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'despatch: Password is missing: give DESPATCH_PASSWORD\n',
    })
  })
})

test('needs no data directory with addresses and credentials of its own', async () => {
  const { code, stdout } = await running.despatch(
    ['plans', 'list', '--base-url', running.baseUrl, '--ops-url', `${running.opsUrl}/`],
    { DESPATCH_DATA_DIR: '/nowhere/at/all', ...asUser(running.operator) },
  )

  expect(code).toBe(0)
  expect(stdout).toContain('standard')
})

test('shows help', async () => {
  expect(await say('--help')).toContain('Usage: despatch')
  expect(await say('consumers', 'create', '--help')).toContain('--email <address>')
})

function asUser({ userName, password, apiKey }: typeof running.operator): Record<string, string> {
  return { DESPATCH_USER_NAME: userName, DESPATCH_PASSWORD: password, DESPATCH_API_KEY: apiKey }
}
