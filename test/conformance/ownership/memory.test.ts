import { MemoryDirectory } from '../../support/memory-ownership.ts'
import { ownershipSuite } from './suite.ts'

ownershipSuite('memory', async () => {
  const directory = new MemoryDirectory()
  return {
    join: async (name) =>
      directory.join({ nodeId: `node-${name}`, sid: `sid-${name}`, address: `http://${name}` }),
    expire: async (name) => directory.expire(`sid-${name}`),
    declareDead: async (name) => directory.declareDead(`sid-${name}`),
    epochOf: async (id) => directory.epochOf('call', id),
    close: async () => {},
  }
})
