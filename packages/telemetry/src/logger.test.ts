import { expect, test } from 'vitest'
import { createLogger } from './logger.ts'
import { withheldNames } from './withhold.ts'

function capture(level?: string) {
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  return { lines, log: createLogger({ service: 'intake', destination, ...(level && { level }) }) }
}

test('writes one line of JSON with the service, the level by name, the ids and the event', () => {
  const { lines, log } = capture()

  log.info({ printJobKey: 'k1', durationMs: 3 }, 'print-job.moved')

  expect(lines).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      service: 'intake',
      printJobKey: 'k1',
      durationMs: 3,
      msg: 'print-job.moved',
    },
  ])
})

test('withholds what a caller sent, in log lines and in the bindings of child loggers', () => {
  const { lines, log } = capture()

  log
    .child({ headers: { authorization: 'SECRET' } })
    .info({ body: 'SECRET', url: '/a?SECRET', query: { s: 'SECRET' }, password: 'SECRET' }, 'x.y')

  expect(JSON.stringify(lines)).not.toContain('SECRET')
  expect(lines[0]).toMatchObject({ body: '[withheld]', headers: '[withheld]' })
})

test.each([...withheldNames])(
  'withholds %s within objects and lists, up to the fourth level',
  (name) => {
    const { lines, log } = capture()
    const member = { [name]: 'SECRET', id: 'i1' }
    const within = { ...member, lower: { ...member, list: [{ ...member, lowest: member }] } }

    log.info({ letter: within, letters: [[within]] }, 'x.y')
    log.child({ caller: within }).info('x.y')

    expect(JSON.stringify(lines)).not.toContain('SECRET')
    const shown = { [name]: '[withheld]', id: 'i1' }
    const expected = {
      ...shown,
      lower: { ...shown, list: [{ ...shown, lowest: '[withheld]' }] },
    }
    expect(lines).toMatchObject([{ letter: expected, letters: [[expected]] }, { caller: expected }])
  },
)

test('logs harmless values within objects, and errors without their other members', () => {
  const { lines, log } = capture()
  const at = new Date(0)
  const failed = Object.assign(new Error('closed'), { input: 'SECRET' })

  log.info({ facts: { at, counts: [1, null], isOpen: true, why: failed } }, 'x.y')

  expect(lines[0]?.facts).toEqual({
    at: at.toISOString(),
    counts: [1, null],
    isOpen: true,
    why: { type: 'Error', message: 'closed', stack: expect.anything() },
  })
})

test('logs an error with type, message, code, frames and cause, and without other members', () => {
  const { lines, log } = capture()
  const cause = Object.assign(new Error('socket closed'), { code: 'ECONNRESET', input: 'SECRET' })

  log.error({ err: new Error('upload failed', { cause }) }, 'upload.failed')

  expect(lines[0]?.err).toEqual({
    type: 'Error',
    message: 'upload failed',
    stack: expect.arrayContaining([expect.stringMatching(/^at .*logger\.test\.ts/)]),
    cause: {
      type: 'Error',
      message: 'socket closed',
      code: 'ECONNRESET',
      stack: expect.anything(),
    },
  })
  expect(JSON.stringify(lines)).not.toContain('SECRET')
})

test('removes user data from error messages that quote their input', () => {
  const { lines, log } = capture()
  const postgres = Object.assign(
    new Error('invalid input syntax for type uuid: "SECRET\n    at SECRET (a.ts:1:1)"'),
    { severity: 'ERROR', code: '22P02', routine: 'string_to_uuid', detail: 'SECRET' },
  )

  log.error({ err: postgres }, 'a.b')
  log.error({ err: parseFailure('{"SECRET') }, 'a.b')
  log.error({ err: 'SECRET' }, 'a.b')

  expect(JSON.stringify(lines)).not.toContain('SECRET')
  expect(lines.map(({ err }) => (err as Error).message)).toEqual([
    'PostgreSQL 22P02 in string_to_uuid',
    'unreadable input',
    '[withheld]',
  ])
})

test('logs an error together with a later error of closing', () => {
  const { lines, log } = capture()

  log.error({ err: new SuppressedError(new Error('close'), new Error('open')) }, 'a.b')

  const { errors } = lines[0]!.err as { errors: { message: string }[] }
  expect(errors.map(({ message }) => message)).toEqual(['open', 'close'])
})

test('writes no line below its level', () => {
  const { lines, log } = capture('warn')

  log.info('print-job.moved')

  expect(lines).toEqual([])
})

function parseFailure(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return error
  }
}
