import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

test('the pipeline process has a lower priority than those that answer requests', async () => {
  const tellPriority = `import { getPriority } from 'node:os'
    process.on('exit', () => console.log(\`priority \${getPriority()}\`))`
  const preload = `data:text/javascript,${encodeURIComponent(tellPriority)}`

  // Without its settings, it ends at once.
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, ['--import', preload, main], { env: {} }, (_error, stdout) =>
      resolve(stdout),
    )
  })

  expect(output).toContain('priority 10')
})
