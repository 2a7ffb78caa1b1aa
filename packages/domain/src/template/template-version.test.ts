import { expect, test } from 'vitest'
import {
  parseTemplateVersion,
  renderTemplateVersion,
  templateNamePattern,
} from './template-version.ts'

test.each([
  ['renewal@3', { template: 'renewal', version: 3 }],
  ['2-renewal@120', { template: '2-renewal', version: 120 }],
  [`${'a'.repeat(63)}@999999`, { template: 'a'.repeat(63), version: 999_999 }],
])('%s names a version', (text, version) => {
  expect(parseTemplateVersion(text)).toEqual(version)
  expect(renderTemplateVersion(version)).toBe(text)
  expect(version.template).toMatch(templateNamePattern)
})

test.each([
  'renewal',
  'renewal@',
  'renewal@0',
  'renewal@03',
  'renewal@1000000',
  'Renewal@3',
  '-renewal@3',
  `${'a'.repeat(64)}@1`,
  '@3',
  'renewal@3\n',
  ' renewal@3',
])('%j names none', (text) => {
  expect(parseTemplateVersion(text)).toBeUndefined()
})

test.each(['', '-renewal', 'Renewal', `${'a'.repeat(64)}`, 'renewal@3', 'renewal ', 'council/tax'])(
  '%j is no name of a template',
  (name) => {
    expect(name).not.toMatch(templateNamePattern)
  },
)
