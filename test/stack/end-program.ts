import { endProcess } from '@despatch/http/end-process'

/** Ends this process when its output is written: a long text for a pipe is not, when `write` returns. */
export async function endProgram(exitCode: number): Promise<never> {
  await new Promise((resolve) => process.stdout.write('', resolve))
  endProcess(exitCode)
}
