import { eventually } from '@despatch/testing/eventually'
import { type StartedProgram, startProgram } from './start-program.ts'

/** One service as a separate process. */
export type ServiceProcess = Omit<StartedProgram, 'ended' | 'output'> & { url: string }

/** Starts `services/<name>/src/main.ts` on a free port and waits until it listens. Default tree: this one. */
export async function startService(
  name: string,
  environment: Record<string, string>,
  { tree }: { tree?: string } = {},
): Promise<ServiceProcess> {
  const started = startProgram([`services/${name}/src/main.ts`], {
    environment: { PORT: '0', ...environment },
    ...(tree && { cwd: tree }),
  })
  const { ended, output, kill } = started
  try {
    const listens = eventually(() => /started at (http[^"\s]+)/.exec(output())?.[1], {
      deadlineMs: 60_000,
      message: `${name} listens`,
    })
    const early = ended.then(() => {
      throw new Error(`${name} exited: ${output()}`)
    })
    return { ...started, url: await Promise.race([listens, early]) }
  } catch (error) {
    await kill('SIGKILL')
    throw error
  }
}
