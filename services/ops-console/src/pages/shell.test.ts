import { expect, test } from 'vitest'
import { pages } from './page.ts'
import { renderShell } from './shell.ts'

const isControl = /<(?:form|input|select|textarea|summary|button(?! [^>]*popovertarget))\b[^>]*>/g

test('says that nothing is posted while the factory is simulated', () => {
  const frame = { environment: 'production', pathOf: (path: string) => path } as const
  const [page] = pages.filter(({ isOpen }) => !isOpen)

  expect(renderShell(page!, frame)).toContain('Production <small>real post</small>')
  const simulated = renderShell(page!, { ...frame, isSimulated: true })
  expect(simulated).toContain('Simulated factory <small>no real post</small>')
  expect(simulated).toContain('data-env="production" data-simulated>')
  expect(simulated).not.toContain('Production')
})

test.for(pages)('$path has no control before its script has arrived', (page) => {
  const frame = { environment: 'uat', pathOf: (path: string) => path } as const

  expect(renderShell(page, frame).match(isControl)).toBeNull()
})
