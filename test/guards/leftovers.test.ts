import { expect, test } from 'vitest'
import { isTest, placesOf, sources, textFiles } from './tree.ts'

const linesMax = 400

test('no source file exceeds the limit of lines', () => {
  const generated = ['package-lock.json', 'docs/command-line.md']
  const isExempt = (path: string) =>
    isTest(path) || generated.includes(path) || path.startsWith('docs/openapi/')
  const long = textFiles
    .filter(({ path, text }) => !isExempt(path) && text.split('\n').length - 1 > linesMax)
    .map(({ path }) => path)

  expect(long).toEqual([])
})

test('no test is skipped or exclusive', () => {
  const leftOut =
    /\b(?:describe|it|suite|test)(?:\.\w+)*\.(?:only|skip|todo|fails)\b|\bx(?:it|describe)\(/g

  expect(placesOf(leftOut, sources)).toEqual([])
})

test('no test replaces the environment of its process', () => {
  expect(placesOf(/\bprocess\.env = /g, sources)).toEqual([])
})

test('no comment has an open task', () => {
  expect(placesOf(/\b(?:TO[D]O|FIX[M]E|XX[X])\b/g, textFiles)).toEqual([])
})

test("no file names a developer's folder or the host of a package registry", () => {
  const places = /(?<![\w.])\/(?:(?:work|Users)\/|home\/(?!node\b)\w)/g
  const registries =
    /https?:\/\/[^\s"'`)]*(?:registry|artifactory|nexus|verdaccio)|\bregistry\.[\w-]+\.\w+\b(?![\w(.])|\bregistry\s*=\s*["']?https?:/gi
  const readByPeople = textFiles.filter(({ path }) => path !== 'package-lock.json')

  expect(placesOf(places, textFiles)).toEqual([])
  expect(placesOf(registries, readByPeople)).toEqual([])
})
