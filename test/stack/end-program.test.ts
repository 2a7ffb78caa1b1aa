import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** More than a pipe holds. */
const characters = 2_000_000

test('a program that ends has written all of its output', async () => {
  const module = JSON.stringify(`${import.meta.dirname}/end-program.ts`)
  const program = `
    import { endProgram } from ${module}
    process.stdout.write('x'.repeat(${characters}))
    await endProgram(0)`

  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', program],
    { maxBuffer: 2 * characters },
  )

  expect(stdout).toHaveLength(characters)
})
