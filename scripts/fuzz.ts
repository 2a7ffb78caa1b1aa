// `contract` fuzzes the HTTP APIs. Without it, the code that reads files is fuzzed.
if (process.argv[2] === 'contract') await import('../test/fuzz/contract/contract-main.ts')
else await import('../packages/documents/test/fuzz/fuzz.ts')

export {}
