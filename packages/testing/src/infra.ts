import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedObjectStore, startObjectStore } from '@despatch/embedded/object-store'
import type { TestProject } from 'vitest/node'
import { makeTemplateDatabase } from './template-database.ts'

/** Addresses of the real servers that the tests of one run share. */
export type Infra = {
  /** Address of PostgreSQL with the superuser. */
  postgresUrl: string
  /** Absent if this machine has no Redis. */
  redisUrl?: string
  objectStore: Omit<EmbeddedObjectStore, 'stop'>
}

/** The PostgreSQL and Redis of a run: programs of this machine, or containers. */
export type Carriers = {
  postgresUrl: string
  redisUrl: string | undefined
  stop(): Promise<void>
}

declare module 'vitest' {
  interface ProvidedContext {
    infra: Infra
  }
}

type Running = { infra: Infra; stop(): Promise<void> }

// Every project of a run loads this file separately, so the shared servers are stored globally.
const shared = globalThis as { despatchInfra?: { running: Promise<Running>; users: number } }

/**
 * Returns the `globalSetup` of vitest. It starts the servers for the first project of a run and stops them after the
 * last. S3 is always the embedded server, because there is no official S3 image.
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
  const directory = await mkdtemp(join(tmpdir(), 'despatch-test-'))
  // If this process is root, the account of PostgreSQL must be able to enter.
  await chmod(directory, 0o711)
  const stops = [() => rm(directory, { recursive: true, force: true })]
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne()
  }
  try {
    const carriers = await start(directory)
    stops.push(carriers.stop)
    const { stop: stopObjects, ...objectStore } = await startObjectStore({
      directory: join(directory, 's3'),
      bucket: 'despatch',
      durable: false,
    })
    stops.push(stopObjects)
    const { postgresUrl, redisUrl } = carriers
    await makeTemplateDatabase(postgresUrl)
    return { infra: { postgresUrl, objectStore, ...(redisUrl && { redisUrl }) }, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
