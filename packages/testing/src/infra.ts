import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type EmbeddedObjectStore, startObjectStore } from '@despatch/embedded/object-store'
import type { TestProject } from 'vitest/node'
import { scratchFolder } from './scratch-folder.ts'
import { makeTemplateDatabase } from './template-database.ts'

/** Addresses of the real servers that all tests of one run share. */
type Infra = {
  /** The superuser's address of PostgreSQL. */
  postgresUrl: string
  /** Absent: this machine has no Redis. */
  redisUrl?: string
  objectStore: Omit<EmbeddedObjectStore, 'stop'>
}

/** PostgreSQL and Redis, started from programs of this machine or from containers, or given by their addresses. */
export type Carriers = {
  postgresUrl: string
  redisUrl: string | undefined
  /** Absent: the embedded server is started. */
  objectStore?: Infra['objectStore'] | undefined
  stop(): Promise<void>
}

declare module 'vitest' {
  interface ProvidedContext {
    infra: Infra
  }
}

type Running = { infra: Infra; stop(): Promise<void> }

// Every project of a run loads this module separately, so the shared servers are kept in a global variable.
const shared = globalThis as { despatchInfra?: { running: Promise<Running>; users: number } }

/**
 * Returns a `globalSetup` for vitest. It starts the servers for the first project of a run, and stops them after the
 * last. S3 is the embedded server unless another one is given, since no image of S3 is official.
 */
export function shareInfra(startCarriers: (directory: string) => Promise<Carriers>) {
  return async (project: TestProject): Promise<() => Promise<void>> => {
    shared.despatchInfra ??= { running: startInfra(startCarriers), users: 0 }
    const held = shared.despatchInfra
    held.users += 1
    const running = await held.running
    project.provide('infra', running.infra)
    return async () => {
      held.users -= 1
      if (held.users > 0) return
      delete shared.despatchInfra
      await running.stop()
    }
  }
}

async function startInfra(start: (directory: string) => Promise<Carriers>): Promise<Running> {
  const directory = await mkdtemp(join(scratchFolder(), 'despatch-test-'))
  // Under root, the account of PostgreSQL must be able to enter the directory.
  await chmod(directory, 0o711)
  const stops = [() => rm(directory, { recursive: true, force: true })]
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne()
  }
  const startObjects = async () => {
    const { stop: stopObjects, ...objectStore } = await startObjectStore({
      directory: join(directory, 's3'),
      bucket: 'despatch',
      durable: false,
    })
    stops.push(stopObjects)
    return objectStore
  }
  try {
    const carriers = await start(directory)
    stops.push(carriers.stop)
    const { postgresUrl, redisUrl, objectStore = await startObjects() } = carriers
    await makeTemplateDatabase(postgresUrl)
    return { infra: { postgresUrl, objectStore, ...(redisUrl && { redisUrl }) }, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
