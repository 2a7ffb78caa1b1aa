import { afterAll } from 'vitest'

type Closable =
  | { close(): unknown }
  | { drop(): unknown }
  | { stop(): unknown }
  | { [Symbol.asyncDispose](): unknown }

/** Opens what all tests of a file use, and closes it after the last of them: what was opened last closes first. */
export async function shared<T extends Closable>(opening: T | Promise<T>): Promise<T> {
  const opened = await opening
  afterAll(() => close(opened))
  return opened
}

async function close(opened: Closable): Promise<void> {
  if ('close' in opened) await opened.close()
  else if ('drop' in opened) await opened.drop()
  else if ('stop' in opened) await opened.stop()
  else await opened[Symbol.asyncDispose]()
}
