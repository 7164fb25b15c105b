#pragma once

constexpr float Factor = 2;
