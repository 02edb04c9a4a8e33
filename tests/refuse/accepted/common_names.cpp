// SPDX-License-Identifier: MIT
// Global variables with names that programs use, together with all names of frisket.
#include <frisket/aot.hpp>
#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>
#include <frisket/tune.hpp>

using namespace frisket;

static int data = 1, label = 1, labels = 1, target = 1, targets = 1, weight = 1, weights = 1, bias = 1,
           biases = 1, loss = 1, losses = 1, plan = 1, kernel = 1, kernels = 1, id = 1, ids = 1, size = 1,
           sizes = 1, length = 1, lengths = 1, width = 1, height = 1, depth = 1, row = 1, rows = 1,
           column = 1, columns = 1, cols = 1, batch = 1, batches = 1, sample = 1, samples = 1, epoch = 1,
           epochs = 1, iteration = 1, iterations = 1, param = 1, params = 1, parameter = 1, parameters = 1,
           grad = 1, grads = 1, state = 1, states = 1, momentum = 1, velocity = 1, rate = 1, lr = 1,
           learning_rate = 1, eps = 1, epsilon = 1, alpha = 1, beta = 1, delta = 1, theta = 1, sigma = 1,
           mu = 1, tau = 1, rho = 1, kappa = 1, omega = 1, x = 1, y = 1, z = 1, w = 1, u = 1, v = 1, a = 1,
           b = 1, c = 1, d = 1, e = 1, f = 1, g = 1, h = 1, i = 1, k = 1, l = 1, m = 1, n = 1, p = 1, q = 1,
           r = 1, s = 1, t = 1, input = 1, inputs = 1, output = 1, outputs = 1, result = 1, results = 1,
           value = 1, values = 1, key = 1, keys = 1, item = 1, items = 1, entry = 1, entries = 1, element = 1,
           elements = 1, node = 1, nodes = 1, edge = 1, edges = 1, graph = 1, graphs = 1, tree = 1, root = 1,
           leaf = 1, parent = 1, child = 1, children = 1, list = 1, lists = 1, queue = 1, map = 1, table = 1,
           tables = 1, vector = 1, matrix = 1, tensor = 1, tensors = 1, array = 1, arrays = 1, buffer = 1,
           buffers = 1, cache = 1, mask = 1, masks = 1, model = 1, models = 1, layer = 1, layers = 1,
           network = 1, optimizer = 1, trainer = 1, train = 1, test = 1, tests = 1, config = 1, options = 1,
           settings = 1, flags = 1, verbose = 1, seed = 1, rng = 1, noise = 1, first = 1, last = 1, next = 1,
           prev = 1, current = 1, best = 1, minimum = 1, maximum = 1, lower = 1, upper = 1, start = 1,
           stop = 1, total = 1, average = 1, score = 1, scores = 1, error = 1, errors = 1, accuracy = 1,
           name = 1, names = 1, path = 1, paths = 1, file = 1, files = 1, line = 1, lines = 1, text = 1,
           word = 1, words = 1, token = 1, tokens = 1, vocabulary = 1, embedding = 1, embeddings = 1,
           user = 1, users = 1, feature = 1, features = 1, rank = 1, ranks = 1, dim = 1, dims = 1, stride = 1,
           strides = 1, offset = 1, offsets = 1, threshold = 1, limit = 1, limits = 1, scale = 1, shift = 1,
           factor = 1, factors = 1, degree = 1, order = 1, timer = 1, now = 1, elapsed = 1, duration = 1,
           timeout = 1, counter = 1, done = 1, ready = 1, thread = 1, threads = 1, pool = 1, worker = 1,
           workers = 1, task = 1, tasks = 1, job = 1, jobs = 1, devices = 1, host = 1, request = 1,
           response = 1, message = 1, messages = 1, left = 1, right = 1, top = 1, bottom = 1, center = 1,
           radius = 1, angle = 1, position = 1, positions = 1, point = 1, points = 1, distances = 1,
           neighbors = 1, cluster = 1, clusters = 1, centroids = 1, build = 1, info = 1, rule = 1, rules = 1,
           stage = 1, stages = 1, context = 1, session = 1, status = 1, code = 1, report = 1, logger = 1,
           history = 1, hidden = 1, attention = 1, query = 1, head = 1, heads = 1, gate = 1, forward = 1,
           backward = 1, update = 1, updates = 1, policy = 1, reward = 1, rewards = 1, action = 1,
           actions = 1, module = 1, symbol = 1, profile = 1, price = 1, ratings = 1, clicks = 1, hits = 1;

int main() {
    return data + label + labels + target + targets + weight + weights + bias + biases + loss + losses +
                       plan + kernel + kernels + id + ids + size + sizes + length + lengths + width + height +
                       depth + row + rows + column + columns + cols + batch + batches + sample + samples +
                       epoch + epochs + iteration + iterations + param + params + parameter + parameters +
                       grad + grads + state + states + momentum + velocity + rate + lr + learning_rate + eps +
                       epsilon + alpha + beta + delta + theta + sigma + mu + tau + rho + kappa + omega + x +
                       y + z + w + u + v + a + b + c + d + e + f + g + h + i + k + l + m + n + p + q + r + s +
                       t + input + inputs + output + outputs + result + results + value + values + key +
                       keys + item + items + entry + entries + element + elements + node + nodes + edge +
                       edges + graph + graphs + tree + root + leaf + parent + child + children + list +
                       lists + queue + map + table + tables + vector + matrix + tensor + tensors + array +
                       arrays + buffer + buffers + cache + mask + masks + model + models + layer + layers +
                       network + optimizer + trainer + train + test + tests + config + options + settings +
                       flags + verbose + seed + rng + noise + first + last + next + prev + current + best +
                       minimum + maximum + lower + upper + start + stop + total + average + score + scores +
                       error + errors + accuracy + name + names + path + paths + file + files + line + lines +
                       text + word + words + token + tokens + vocabulary + embedding + embeddings + user +
                       users + feature + features + rank + ranks + dim + dims + stride + strides + offset +
                       offsets + threshold + limit + limits + scale + shift + factor + factors + degree +
                       order + timer + now + elapsed + duration + timeout + counter + done + ready + thread +
                       threads + pool + worker + workers + task + tasks + job + jobs + devices + host +
                       request + response + message + messages + left + right + top + bottom + center +
                       radius + angle + position + positions + point + points + distances + neighbors +
                       cluster + clusters + centroids + build + info + rule + rules + stage + stages +
                       context + session + status + code + report + logger + history + hidden + attention +
                       query + head + heads + gate + forward + backward + update + updates + policy + reward +
                       rewards + action + actions + module + symbol + profile + price + ratings + clicks +
                       hits ==
                   0
               ? 1
               : 0;
}
