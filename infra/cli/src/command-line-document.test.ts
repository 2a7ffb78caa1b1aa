import { expect, test } from 'vitest'
import { describeCommandLine } from './command-line-document.ts'
import { exitCodesOfCommands } from './exit-codes.ts'

const described = await describeCommandLine()

test.each(Object.keys(exitCodesOfCommands))(
  '%s, which ends in its own way, is a command',
  (path) => {
    expect(described).toMatch(new RegExp(`^- \`${path}[ \`]`, 'm'))
  },
)

test('a command has its arguments, its options and its own exit codes', () => {
  expect(
    described,
  ).toContain(`- \`jobs watch <id>\`: as a consumer: shows the progress of a print job until it ends
  - options: \`--timeout <seconds>\`
  - exit codes: \`0\` the print job is DESPATCHED; \`3\` the print job is REJECTED; \`4\` timeout
`)
  expect(described).toMatch(/^- `jobs hold <job>`: .+\n {2}- needed: `--reason <text>`\n- /m)
  expect(described).toMatch(/^- `jobs list \[text\]`: /m)
})
