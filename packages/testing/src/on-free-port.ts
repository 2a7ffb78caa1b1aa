import { findFreePort } from '@despatch/embedded/free-port'

const triesMax = 3

/** Starts a server that must be given its port. Tries another port if it fails: another process may take one first. */
export async function onFreePort<Server>(
  start: (port: number) => Promise<Server>,
): Promise<Server> {
  for (let tries = 1; ; tries++) {
    try {
      return await start(await findFreePort())
    } catch (error) {
      if (tries === triesMax) throw error
    }
  }
}
