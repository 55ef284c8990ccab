import { config } from 'zod';

// A step reads each shape a few times: to compile its checks first costs more than that saves
// (bench/action).
config({ jitless: true });
