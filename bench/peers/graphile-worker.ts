import { servePeer } from './peer.ts'

servePeer({ web: 'web.js', worker: 'worker.js', queue: 'graphile-worker' })
