import { renderAdministrationProblem } from '@despatch/contracts/administration/problems'
import { renderDriverProblem } from '@despatch/contracts/driver-records/problems'
import { renderFullDriverProblem } from '@despatch/contracts/full-driver-enquiry/problems'
import { renderFulfilmentProblem } from '@despatch/contracts/print-fulfilment/problems'
import { renderPrintProblem } from '@despatch/contracts/print-request/problems'
import { renderAccessProblem } from '@despatch/contracts/thirdparty-access/problems'
import { renderUatProblem } from '@despatch/contracts/uat/problems'
import { renderVehicleProblem } from '@despatch/contracts/vehicle-enquiry/problems'
import { requestProblemKinds } from '@despatch/domain/problem'
import { expect, test } from 'vitest'
import { importsOf, programs, type SourceFile } from './tree.ts'

const kindsOf: Record<string, readonly string[]> = {
  administration: renderAdministrationProblem.kinds,
  'driver-find': renderDriverProblem.kinds,
  'driver-sources': renderDriverProblem.kinds,
  fulfilment: renderFulfilmentProblem.kinds,
  'full-driver-enquiry': renderFullDriverProblem.kinds,
  'print-request': renderPrintProblem.kinds,
  'thirdparty-access': renderAccessProblem.kinds,
  uat: renderUatProblem.kinds,
  'vehicle-enquiry': renderVehicleProblem.kinds,
}
const requestKinds: readonly string[] = requestProblemKinds
const ownKinds = new Set(
  Object.values(kindsOf)
    .flat()
    .filter((kind) => !requestKinds.includes(kind)),
)
const raisedPattern = /new Problem\(\s*'([\w-]+)'|\bkind: '([\w-]+)'/g

/** Functions of the contracts that make a problem, with the kinds of it. */
const makers = programs
  .filter(({ path }) =>
    /^packages\/contracts\/src\/.*\/(problems|print-run-unaccounted)\.ts$/.test(path),
  )
  .flatMap(({ text }) => [...text.matchAll(/^export function (\w+)[<(][\s\S]*?^\}/gm)])
  .map(([text, name]) => ({ name: name!, kinds: kindsIn(text) }))

test.each(Object.entries(kindsOf))(
  '%s has an entry for exactly the problems that it raises',
  (name, kinds) => {
    const files = programs.filter(({ path }) => path.startsWith(`services/${name}/src/`))
    const stores = new Set(
      files.flatMap(importsOf).filter((module) => module.startsWith('@despatch/store/')),
    )
    const raised = [
      ...files.flatMap(({ text }) => kindsIn(text)),
      ...makers
        .filter((maker) => files.some((file) => calls(file, maker.name)))
        .flatMap((maker) => maker.kinds),
      ...programs
        .filter(({ path }) => stores.has(moduleOf(path)))
        .flatMap(({ text }) => kindsIn(text)),
    ]

    expect([...new Set(raised)].sort()).toEqual(kinds.filter((kind) => ownKinds.has(kind)).sort())
  },
)

test('shared packages raise only problems that every API can answer', () => {
  const shared = programs.filter(({ path }) =>
    /^packages\/(access|composer|domain|enquiry|http|letters|object-store|queue)\//.test(path),
  )

  const raised = shared.flatMap(({ text }) =>
    [...text.matchAll(/new Problem\(\s*'([\w-]+)'/g)].map(([, kind]) => kind!),
  )

  expect(raised.filter((kind) => !requestKinds.includes(kind))).toEqual([])
})

function kindsIn(text: string): string[] {
  return [...text.matchAll(raisedPattern)]
    .map(([, made, named]) => made ?? named!)
    .filter((kind) => ownKinds.has(kind))
}

function calls({ text }: SourceFile, name: string): boolean {
  return new RegExp(`\\b${name}\\(`).test(text)
}

function moduleOf(path: string): string {
  return path.replace(/^packages\/([\w-]+)\/src\/(.*)\.ts$/, '@despatch/$1/$2')
}
