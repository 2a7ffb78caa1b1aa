import { expect, test } from 'vitest'
import { renderFindings } from './doctor.ts'

test('findings are below each other, with how they are mended and how many are bad', () => {
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
      '                to mend it: start Redis',
      'WARN  clock     6 s ahead',
      '                to mend it: set it',
      '-     key       it is not set here',
      '',
      '1 bad, 1 to be looked at.',
    ].join('\n'),
  )
})
