import { servePeer } from './peer.ts'

servePeer({ web: 'web.js', worker: 'worker.js', queue: 'pg-boss' })
