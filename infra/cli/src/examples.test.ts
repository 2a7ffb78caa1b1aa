import { CommanderError } from 'commander'
import { expect, test } from 'vitest'
import { startHere } from '../test/a-command-line.ts'
import { everyCommand, wordsOfExample } from '../test/every-command.ts'
import { inspectedProgram } from './command-line-document.ts'
import { examplesOf, pathOf } from './examples.ts'

const commands = everyCommand(await inspectedProgram())

test.each(commands.map(pathOf))('the help of %s ends with its examples', async (path) => {
  const words = path === 'despatch' ? [] : path.split(' ')
  const { stdout } = await startHere([...words, '--help'], {}).ended

  expect(stdout).toMatch(/\nExamples?:\n( {2}npx despatch.*\n){1,2}$/)
})

const given = commands.flatMap(examplesOf)

test.each([...new Set(given)])('%s is a command with its arguments and options', async (line) => {
  // Commander forgets nothing of what it has parsed, so each example has a program of its own.
  const program = await inspectedProgram()
  const called: string[] = []
  for (const command of everyCommand(program)) {
    if (command.commands.length === 0) command.action(() => void called.push(pathOf(command)))
  }

  await program.parseAsync(wordsOfExample(line), { from: 'user' })

  expect(line).toContain(`despatch ${called.join()}`)
})

test('an example that is wrong would be found', async () => {
  const program = await inspectedProgram()
  await expect(
    program.parseAsync(['jobs', 'list', '--ony', 'held'], { from: 'user' }),
  ).rejects.toThrow(CommanderError)
})
