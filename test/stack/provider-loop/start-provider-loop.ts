import { randomBytes, randomUUID } from 'node:crypto'
import { deriveKeys } from '@despatch/config/service-keys'
import { openObjectStore } from '@despatch/object-store/object-store'
import { insertContract } from '@despatch/store/access/consumers'
import { type Database, openDatabase } from '@despatch/store/database'
import { eventually } from '@despatch/testing/eventually'
import { gatherAndRelease } from '@despatch/testing/gather-and-release'
import { liftUsagePlans } from '../lift-usage-plans.ts'
import type { Credential } from '../start-despatch.ts'
import { type ServiceProcess, startService } from '../start-service.ts'
import { addCaller, addProvider, type ProviderAccount } from './add-provider.ts'
import { type CuttingGateway, startCuttingGateway } from './cutting-gateway.ts'
import {
  addPendingLetters,
  type LetterContract,
  type PendingLetter,
  putSharedDocument,
} from './pending-letters.ts'

export type LoopEnvironment = {
  DATABASE_URL: string
  S3_ENDPOINT: string
  S3_REGION?: string
  S3_BUCKET: string
  S3_ACCESS_KEY_ID: string
  S3_SECRET_ACCESS_KEY: string
}

/**
 * What a print provider sees: fulfilment and sign-in as separate processes, behind a gateway that can lose answers, on
 * a real database and object store. The test adds letters, providers and paper.
 */
export type ProviderLoop = AsyncDisposable & {
  database: Database
  gateway: CuttingGateway
  /** The settings by which services find the database, the queues and the object store. */
  environment: Record<string, string>
  consumer: Credential
  /** Adds a provider whose only site has only this paper, so that it gets no letters of other tests. */
  addProvider(stationery: string): Promise<ProviderAccount>
  /** Adds a contract whose letters are printed on this paper. */
  addContract(stationery: string): Promise<LetterContract>
  addLetters(contract: LetterContract, count: number): Promise<PendingLetter[]>
  /** Gathers and releases the PENDING letters, and returns the one run that contains these letters. */
  release(letters: readonly PendingLetter[]): Promise<string>
  /** Starts a fulfilment process, to which the gateway then routes calls in turn. */
  startFulfilment(): Promise<ServiceProcess>
  /** Kills all fulfilment processes. */
  killFulfilment(): Promise<void>
}

const fulfilmentPrefix = '/print-fulfilment'

export async function startProviderLoop(carriers: LoopEnvironment): Promise<ProviderLoop> {
  const parts = new AsyncDisposableStack()
  try {
    const environment = { ...carriers, ...deriveKeys(randomBytes(32).toString('hex')) }
    await liftUsagePlans(carriers.DATABASE_URL)
    const database = openDatabase(carriers.DATABASE_URL, { name: 'test', connectionsMax: 8 })
    parts.defer(() => database.close())
    await putDocument(carriers)
    const gateway = parts.use(await startCuttingGateway())
    const access = parts.use(await startService('thirdparty-access', environment))
    gateway.route('/thirdparty-access', [access.url])
    const consumer = await addCaller(database, { roles: ['consumer'] })
    const running = new Set<ServiceProcess>()
    const reroute = () =>
      gateway.route(
        fulfilmentPrefix,
        [...running].map(({ url }) => url),
      )

    async function addContract(stationery: string): Promise<LetterContract> {
      const contractId = randomUUID()
      await insertContract(database.db, {
        id: contractId,
        consumerId: consumer.consumerId,
        jobType: 'LETTER',
        templateReference: stationery,
        production: 'letter',
        stationery,
      })
      return { consumerId: consumer.consumerId, contractId, stationery }
    }

    return {
      database,
      gateway,
      environment,
      consumer: consumer.credential,
      addContract,
      addProvider: (stationery) => addProvider(database, { stationery: [stationery] }),
      addLetters: (contract, count) => addPendingLetters(database, contract, count),
      release: (letters) => releaseRun(database, letters),
      startFulfilment: async () => {
        const fulfilment = parts.use(
          await startService('fulfilment', { ...environment, DESPATCH_FILE_DROP_INTERVAL_MS: '0' }),
        )
        running.add(fulfilment)
        reroute()
        fulfilment.process.once('exit', () => {
          running.delete(fulfilment)
          reroute()
        })
        return fulfilment
      },
      killFulfilment: async () => {
        await Promise.all([...running].map(({ kill }) => kill('SIGKILL')))
      },
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    }
  } catch (error) {
    await parts.disposeAsync()
    throw error
  }
}

async function putDocument(carriers: LoopEnvironment): Promise<void> {
  const objects = openObjectStore({
    endpoint: carriers.S3_ENDPOINT,
    region: carriers.S3_REGION ?? 'eu-west-2',
    bucket: carriers.S3_BUCKET,
    accessKeyId: carriers.S3_ACCESS_KEY_ID,
    secretAccessKey: carriers.S3_SECRET_ACCESS_KEY,
  })
  await putSharedDocument(objects)
  objects.close()
}

async function releaseRun(
  { db, pool }: Database,
  letters: readonly PendingLetter[],
): Promise<string> {
  const limits = { runAgeMs: 0, documentsMax: 100_000, jobsMax: 10_000 }
  return eventually(
    async () => {
      await gatherAndRelease(db, limits)
      const { rows } = await pool.query<{ batch_number: string }>(
        `select distinct batch_number from print_run join print_run_document using (batch_number)
         where print_job_key = any ($1::uuid[]) and removed_at is null and state = 'RELEASED'`,
        [letters.map(({ key }) => key)],
      )
      if (rows.length > 1) throw new Error('the letters are in several runs')
      return rows[0]?.batch_number
    },
    { message: 'the letters are in a released run' },
  )
}
