import { expect, test } from 'vitest'
import { renderFindings } from './doctor.ts'

test('prints one finding below the other with its fix, and counts the errors', () => {
  expect(
    renderFindings([
      { subject: 'database', state: 'good', found: 'it answers' },
      { subject: 'queues', state: 'bad', found: 'they\u001b[2J are gone', mend: 'start Redis' },
      { subject: 'clock', state: 'warning', found: '6 s ahead', mend: 'set it' },
      { subject: 'key', state: 'skipped', found: 'it is not set here' },
    ]),
  ).toBe(
    [
      'ok    database  it answers',
      'BAD   queues    they\ufffd[2J are gone',
      '                fix: start Redis',
      'WARN  clock     6 s ahead',
      '                fix: set it',
      '-     key       it is not set here',
      '',
      '1 error, 1 warning.',
    ].join('\n'),
  )
})
