import { expect, test } from 'vitest'
import { pages } from './page.ts'
import { renderShell } from './shell.ts'

const isControl = /<(?:form|input|select|textarea|summary|button(?! [^>]*popovertarget))\b[^>]*>/g

test.for(pages)('$path has no control before its script has arrived', (page) => {
  const frame = { environment: 'uat', pathOf: (path: string) => path, modules: [] } as const

  expect(renderShell(page, frame).match(isControl)).toBeNull()
})
