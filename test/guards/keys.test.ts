import { join } from 'node:path'
import { keySettingNames, serviceKeys } from '@despatch/config/service-keys'
import { databaseServices } from '@despatch/postgres/service-roles'
import { expect, test } from 'vitest'
import { readText, root } from './tree.ts'

type Schema = { shape: Readonly<Record<string, unknown>> }

const { importServiceConfigs } = await import(join(root, 'scripts/docs/configuration.ts'))
const configs: Readonly<Record<string, Schema>> = await importServiceConfigs()
const isKey = (name: string) => /^DESPATCH_(KEY|SECRET_KEY)/.test(name)

test('every service in the table of keys exists', () => {
  for (const { services } of Object.values(serviceKeys)) {
    expect(Object.keys(configs)).toEqual(expect.arrayContaining([...services]))
  }
  expect(Object.keys(configs).length).toBeGreaterThan(databaseServices.length)
})

test.for(Object.keys(configs))('%s reads exactly its own keys, and not the root', (service) => {
  const names = Object.keys(configs[service]!.shape).filter(isKey)

  expect(names.toSorted()).toEqual(keySettingNames(service).toSorted())
})

test('docs/secrets.md lists every key with the services that have it', () => {
  const lines = readText('docs/secrets.md').matchAll(/^- `(DESPATCH_KEY_\w+)` \(([^)]+)\): /gm)

  expect([...lines].map(([, name, services]) => [name, services!.split(', ')])).toEqual(
    Object.entries(serviceKeys).map(([name, { services }]) => [name, services]),
  )
})

test('docs/kubernetes.md lists the keys of every Secret', () => {
  const rows = [...readText('docs/kubernetes.md').matchAll(/^\| (`.+?) +\| (.+?) +\|$/gm)]
  const listed = rows.flatMap(([, names, keys]) =>
    [...names!.matchAll(/`([\w-]+)`/g)].map(([, service]) => [
      service!,
      (keys!.match(/`DESPATCH_\w*KEY\w*`/g) ?? []).map((name) => name.slice(1, -1)),
    ]),
  )

  // The page refers to the list of all keys for administration, which has each of them.
  expect(keySettingNames('administration')).toEqual(keySettingNames())
  const others = Object.keys(configs).filter((service) => service !== 'administration')
  const own = others.flatMap((service) => {
    const names = keySettingNames(service).filter((name) => !name.endsWith('_PREVIOUS'))
    return names.length > 0 ? [[service, names]] : []
  })
  expect(Object.fromEntries(listed.filter(([, names]) => names!.length > 0))).toEqual(
    Object.fromEntries(own),
  )
})
