import { expect, test } from 'vitest'
import { describeCommandLine } from './command-line-document.ts'
import { exitCodesOfCommands } from './exit-codes.ts'

const described = describeCommandLine()

test.each(Object.keys(exitCodesOfCommands))(
  '%s, which ends in its own way, is a command',
  (path) => {
    expect(described).toMatch(new RegExp(`^\\| \`${path}[ \`]`, 'm'))
  },
)

test('a command has its arguments, its options and its own exit codes', () => {
  expect(described).toMatch(
    /^\| `jobs watch <id>` +\| as a consumer: shows [^|]+\| `--timeout <seconds>` +\| 0: [^|]+<br>3: [^|]+<br>4: timeout +\|$/m,
  )
  expect(described).toMatch(
    /^\| `jobs hold <job>` +\| [^|]+\| `--reason <text>` \(needed\) +\| as above +\|$/m,
  )
  expect(described).toMatch(/^\| `jobs list \[text\]` +\|/m)
})
