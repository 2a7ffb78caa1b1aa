import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { scratchFolder } from '@despatch/testing/scratch-folder'
import { expect, test } from 'vitest'

const main = resolve(import.meta.dirname, '../src/prepare-main.ts')

test('writes the credentials of users that it creates, and leaves alone those that another folder has', async () => {
  await using parts = new AsyncDisposableStack()
  const { url, drop } = await cloneDatabase()
  parts.defer(drop)
  const folder = async () => {
    const path = await mkdtemp(join(scratchFolder(), 'despatch-prepare-'))
    parts.defer(() => rm(path, { recursive: true }))
    return path
  }
  const prepare = async (directory: string) => {
    const { stdout } = await promisify(execFile)(process.execPath, [main], {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        DATABASE_URL: url,
        DESPATCH_ENVIRONMENT: 'uat',
        DESPATCH_DATA_DIR: directory,
        DESPATCH_BASE_URL: 'http://127.0.0.1:8080',
        DESPATCH_OPS_URL: 'http://127.0.0.1:8081',
      },
    })
    return stdout
  }
  const [first, other] = [await folder(), await folder()]
  const path = join(first, 'credentials.json')

  const made = await prepare(first)
  const elsewhere = await prepare(other)

  expect(made).toContain(`the credentials are in ${path}\n`)
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({
    operator: { userName: 'demo-operator' },
  })
  expect(elsewhere).toMatch(
    /the credentials are not here: .* npx despatch consumers reset-password demo-consumer\n$/,
  )
  expect(await readdir(other)).toEqual([])
})
